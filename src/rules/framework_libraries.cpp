// The libraries that a framework opens: which ones it finds, and whether they suit it.
#include "rules/rule.hpp"

namespace rnncheck::rules {

static const Library* of_another_major(const Facts& facts, int major) {
    for (const Library& library : facts.libraries)
        if (library.kind == LibraryKind::cudnn && !library.problem && major_of_file(library).value_or(major) != major)
            return &library;
    return nullptr;
}

static Finding mismatch(const Facts& facts, const Framework& framework, const std::string& soname,
                        const Library& other) {
    const std::string found = std::to_string(*major_of_file(other));
    return {.subject = words_of(framework),
            .message = words_of(framework) + " opens " + soname + ", but cuDNN " + found +
                       " is installed: libraries of different major versions are not interchangeable",
            .evidence = {{soname, "not found", "frameworks"},
                         {"cuDNN " + found, other.path, "libraries"},
                         built_for(framework, "cuDNN " + framework.cudnn->text)},
            .remedies = {installing_cudnn(
                facts, framework,
                remedy("cudnn_major_soname_mismatch", {std::to_string(framework.cudnn->major()), found}))}};
}

/// A framework opens cuDNN by the name of one major, and another major is installed.
Verdict cudnn_major_soname_mismatch(const Facts& facts, const Matrix& matrix) {
    if (no_nvidia_hardware_seen(facts)) return not_applicable("no NVIDIA GPU was found");
    const auto judge = [&](const Framework& framework, const FrameworkLibrary& cudnn, VerdictBuilder& answers) {
        if (!framework.cudnn)
            return answers.unknown("the cuDNN version that " + words_of(framework) + " was built with is unknown");
        const Library* other = of_another_major(facts, framework.cudnn->major());
        if (cudnn.path)
            answers.passed(words_of(framework) + " finds " + cudnn.soname);
        else if (!libraries_listed(facts))
            answers.unknown("the library directories could not be searched");
        else if (!other)
            answers.no_pass("cuDNN is not installed");
        else
            answers.fault(mismatch(facts, framework, cudnn.soname, *other));
    };
    return over_opened(facts, matrix, "libcudnn", "every framework finds its cuDNN", judge);
}

/// Since CUDA 11 the runtime's file name carries the major alone; before, each release had its own.
static bool same_files(const Version& cuda, const Version& wanted) {
    return cuda.major() == wanted.major() && (wanted.major() >= 11 || cuda.minor() == wanted.minor());
}

static Finding other_cuda(const Framework& framework, const FrameworkBuild& build, const Version& cuda) {
    return {.subject = words_of(framework),
            .message = words_of(framework) + " was built for CUDA " + build.cuda->text + ", which CUDA " + cuda.text +
                       " does not provide",
            .evidence = {{"CUDA", cuda.text, "runtimes"}, evidence_of(build, "CUDA " + build.cuda->text)}};
}

static Finding only_another_cuda(const Facts& facts, const Framework& framework, const std::string& soname,
                                 const Library& other) {
    const std::string found = std::to_string(*major_of_file(other));
    return {.subject = words_of(framework),
            .message = words_of(framework) + " was built for CUDA " + framework.cuda->text + " and opens " + soname +
                       "; the installed CUDA version is " + found,
            .evidence = {{soname, "not found", "frameworks"},
                         {"CUDA " + found, other.path, "libraries"},
                         built_for(framework, "CUDA " + framework.cuda->text)},
            .remedies = {installing_cublas(
                facts, framework,
                remedy("cuda_version_not_the_one_built_for", {std::to_string(framework.cuda->major()), found}))}};
}

static Verdict judge_cuda_here(const Facts& facts, const Matrix& matrix) {
    if (no_nvidia_hardware_seen(facts)) return not_applicable("no NVIDIA GPU was found");
    const auto judge = [&](const Framework& framework, const FrameworkLibrary& cublas, VerdictBuilder& answers) {
        const Library* other = another_cublas(facts, framework);
        if (cublas.path)
            answers.passed(words_of(framework) + " finds the CUDA version it was built for");
        else if (!framework.cuda)
            answers.unknown("the CUDA version that " + words_of(framework) + " was built for is unknown");
        else if (!libraries_listed(facts))
            answers.unknown("the library directories could not be searched");
        else if (!other)
            answers.no_pass(cublas.soname + " is outside the loader's search path, or CUDA is not installed");
        else
            answers.fault(only_another_cuda(facts, framework, cublas.soname, *other));
    };
    return over_opened(facts, matrix, "libcublas.so", "every framework finds its CUDA libraries", judge);
}

/// The CUDA installed is not the one that a framework loads.
Verdict cuda_version_not_the_one_built_for(const Facts& facts, const Matrix& matrix) {
    if (!only_given(facts)) return judge_cuda_here(facts, matrix);
    const Version* cuda = given_cuda(facts);
    if (!cuda) return undecided("no CUDA version was specified");
    return judge_frameworks(facts, matrix, takes_system_libraries,
                            [&](const FrameworkBuild& build, const Framework& framework) -> Verdict {
                                if (same_files(*cuda, *build.cuda))
                                    return pass(words_of(framework) + " has compatible libraries");
                                return fault(other_cuda(framework, build, *cuda));
                            });
}

static void newer(Finding& finding, const Framework& framework, const FrameworkBuild& build, const Version& cudnn) {
    finding.message = words_of(framework) + " was built for cuDNN " + std::to_string(build.cudnn->major()) +
                      " and cannot use cuDNN " + cudnn.text;
}

/// Its file name is of the framework's major all the same: somebody made a link, or renamed it.
static bool is_newer(const CudnnInUse& use) {
    return serves(use.version, use.built_with) == Serves::too_new;
}

static void describe_newer(Finding& finding, const CudnnInUse& use) {
    const std::string major = std::to_string(use.built_with.major());
    finding.severity = Severity::error;
    finding.message = words_of(use.framework) + " was built for cuDNN " + major + ", but " + *use.library.path +
                      ", which it loads, is cuDNN " + use.version.text;
    finding.remedies = {
        installing_cudnn(use.facts, use.framework, remedy("cudnn_newer_than_framework_supports", {major}))};
}

/// cuDNN is of a later major than the framework knows.
Verdict cudnn_newer_than_framework_supports(const Facts& facts, const Matrix& matrix) {
    if (!only_given(facts)) return judge_cudnn_in_use(facts, matrix, is_newer, describe_newer);
    return judge_cudnn_of_frameworks(
        facts, matrix, takes_system_libraries, [](Serves how) { return how == Serves::too_new; }, newer);
}

static void older(Finding& finding, const Framework& framework, const FrameworkBuild& build, const Version& cudnn) {
    finding.message = "cuDNN " + cudnn.text + " is older than the " + build.cudnn->text + " that " +
                      words_of(framework) + " was built with";
}

static bool is_older(const CudnnInUse& use) {
    return serves(use.version, use.built_with) == Serves::too_old;
}

static void describe_older(Finding& finding, const CudnnInUse& use) {
    const std::string wanted = use.built_with.text, major = std::to_string(use.built_with.major());
    finding.severity = Severity::error;
    finding.message = words_of(use.framework) + " was built with cuDNN " + wanted + ", but loads the older " +
                      use.version.text + " from " + *use.library.path;
    finding.remedies = {installing_cudnn(
        use.facts, use.framework, remedy("cudnn_runtime_older_than_built", {wanted, major, words_of(use.framework)}))};
}

/// The cuDNN that a framework loads is older than the one it was built with.
Verdict cudnn_runtime_older_than_built(const Facts& facts, const Matrix& matrix) {
    if (!only_given(facts)) return judge_cudnn_in_use(facts, matrix, is_older, describe_older);
    return judge_cudnn_of_frameworks(
        facts, matrix, takes_system_libraries, [](Serves how) { return how == Serves::too_old; }, older);
}

static void other_first(Finding& finding, const Framework& framework, const FrameworkBuild& build,
                        const Version& cudnn) {
    const bool other_names = cudnn.major() != build.cudnn->major();
    finding.severity = other_names ? Severity::note : Severity::warning;
    finding.confidence = other_names ? Confidence::possible : Confidence::likely;
    finding.message =
        words_of(framework) + " bundles cuDNN " + build.cudnn->text + "; " +
        (other_names
             ? "cuDNN " + cudnn.text +
                   " has different file names, so it affects only programs that load libcudnn.so without a version"
             : "if cuDNN " + cudnn.text +
                   " is found first, through LD_LIBRARY_PATH or in a system directory, it is rejected or fails");
    finding.remedies = {remedy("wrong_cudnn_found_first/given", {cudnn.text})};
}

static bool passes_over_its_own(const CudnnInUse& use) {
    return use.own && use.library.found_by == "LD_LIBRARY_PATH" && serves(use.version, use.built_with) != Serves::well;
}

static void describe_first(Finding& finding, const CudnnInUse& use) {
    const std::string directory = directory_of(*use.library.path);
    finding.severity = Severity::error;
    const bool older = serves(use.version, use.built_with) == Serves::too_old;
    finding.message = "because of LD_LIBRARY_PATH, " + words_of(use.framework) + " loads cuDNN " + use.version.text +
                      " from " + directory + " instead of its own at " + use.own->path + "; it is " +
                      (older ? "older than the " : "of a different major version than the ") + use.built_with.text +
                      " that it was built with";
    finding.evidence.push_back({"its bundled cuDNN", use.own->path, "libraries"});
    finding.remedies = {remedy("wrong_cudnn_found_first/in_use", {directory})};
}

/// A cuDNN of another major has other file names: it is in the way only of what opens unversioned names.
static std::optional<Finding> other_major_first(const Facts& facts, const Framework& framework) {
    const FrameworkLibrary* cudnn = opened_cudnn(framework);
    if (!cudnn || !cudnn->path || !framework.cudnn) return std::nullopt;
    for (const Library& file : facts.libraries) {
        const auto major = major_of_file(file);
        if (file.kind != LibraryKind::cudnn || file.problem || file.found_via != FoundVia::ld_library_path) continue;
        if (!major || *major == framework.cudnn->major()) continue;
        return Finding{
            .severity = Severity::note,
            .subject = words_of(framework),
            .message = "LD_LIBRARY_PATH puts the cuDNN " + std::to_string(*major) + " of " + directory_of(file.path) +
                       " before the cuDNN " + std::to_string(framework.cudnn->major()) + " that " +
                       words_of(framework) +
                       " opens; their file names differ, so this affects only programs that load libcudnn.so "
                       "without a version",
            .evidence = {{"first in LD_LIBRARY_PATH", file.path, "libraries"},
                         {"cuDNN that it loads", *cudnn->path, "frameworks"}},
            .remedies = {remedy("wrong_cudnn_found_first/in_use", {directory_of(file.path)})},
            .confidence = Confidence::possible};
    }
    return std::nullopt;
}

static Verdict judge_first_cudnn(const Facts& facts, const Matrix& matrix) {
    Verdict verdict = judge_cudnn_in_use(facts, matrix, passes_over_its_own, describe_first);
    if (verdict.outcome == Outcome::fault) return verdict;
    for (const Framework& framework : judged_frameworks(facts, matrix)) {
        auto finding = other_major_first(facts, framework);
        if (!finding) continue;
        if (verdict.outcome == Outcome::pass) verdict = fault(std::move(*finding));
    }
    return verdict;
}

/// A cuDNN that is found before the one that a framework bundles.
Verdict wrong_cudnn_found_first(const Facts& facts, const Matrix& matrix) {
    if (!only_given(facts)) return judge_first_cudnn(facts, matrix);
    return judge_cudnn_of_frameworks(
        facts, matrix, brings_libraries, [](Serves how) { return how != Serves::well; }, other_first);
}

/// The cuDNN that a framework opens is installed, and the loader does not find it.
Verdict cudnn_not_on_loader_path(const Facts& facts, const Matrix& matrix) {
    return judge_loader_path(facts, matrix, "libcudnn");
}

/// The cuBLAS that a framework opens is installed, and the loader does not find it.
Verdict cuda_lib_not_on_loader_path(const Facts& facts, const Matrix& matrix) {
    return judge_loader_path(facts, matrix, "libcublas.so");
}

}  // namespace rnncheck::rules
