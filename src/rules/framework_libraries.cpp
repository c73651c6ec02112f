// The libraries that a framework opens: which ones it finds, and whether they suit it.
#include "rules/rule.hpp"
#include "rules/support/dlls.hpp"

namespace rnncheck::rules {

/// A usable file that `is_one` picks; null when there is none.
template <class IsOne>
static const Library* usable_file(const Facts& facts, IsOne&& is_one) {
    return find_where(
        facts.libraries, [&](const Library& file) { return !file.problem && is_one(file); });
}

/// A file whose name shows no major may be of any, and is no reason for a
/// fault.
static bool is_of_another_major(const Library& file, int major) {
    return major_of_file(file).value_or(major) != major;
}

/// A file by that name, wherever it is; null when there is none.
static const Library* file_named(const Facts& facts, std::string_view soname) {
    return usable_file(facts, [&](const Library& file) {
        return !file.stub && (file_name(file.path) == soname || file.soname == soname);
    });
}

/// Evaluates, for every framework that opens it and does not find it, the library whose name begins
/// with `stem`.
static Verdict over_not_found(
    const Facts& facts,
    const Matrix& matrix,
    std::string_view stem,
    const std::function<void(const Framework&, const FrameworkLibrary&, VerdictBuilder&)>& judge) {
    if (no_nvidia_hardware_seen(facts))
        return not_applicable("no NVIDIA GPU was found");
    const auto judge_found =
        [&](const Framework& framework, const FrameworkLibrary& wanted, VerdictBuilder& result) {
            if (wanted.path)
                return result.passed(words_of(framework) + " finds " + wanted.soname);
            if (!libraries_listed(facts))
                return result.unknown("the library directories could not be searched");
            judge(framework, wanted, result);
        };
    return over_opened(facts, matrix, stem, "every framework finds its libraries", judge_found);
}

/// A framework opens cuDNN by a soname with the major version, libcudnn.so.8,
/// and only another major is installed. Silent where there is no cuDNN at all,
/// which cudnn_not_installed reports.
Verdict cudnn_major_soname_mismatch(const Facts& facts, const Matrix& matrix) {
    if (has_dlls(facts))
        return dll_of_other_cudnn_major(facts);
    const auto judge = [&](const Framework& framework,
                           const FrameworkLibrary& cudnn,
                           VerdictBuilder& result) {
        const std::string name = words_of(framework);
        if (!framework.cudnn)
            return result.unknown("the cuDNN version that " + name + " was built with is unknown");
        const int major = framework.cudnn->major();
        const Library* other = usable_file(facts, [&](const Library& file) {
            return file.kind == LibraryKind::cudnn && is_of_another_major(file, major);
        });
        if (!other)
            return result.block_pass("cuDNN is not installed");
        const std::string found = std::to_string(*major_of_file(*other));
        result.fault({
            .subject = name,
            .part = part_of(framework),
            .message =
                name + " opens " + cudnn.soname + ", but cuDNN " + found +
                " is installed: libraries of different major versions are not interchangeable",
            .evidence =
                {{cudnn.soname, "not found", "frameworks"},
                 {"cuDNN " + found, other->path, "libraries"},
                 built_for(framework, "cuDNN " + framework.cudnn->text)},
            .remedies = {installing_cudnn(
                facts,
                framework,
                remedy("cudnn_major_soname_mismatch", {std::to_string(major), found}))},
        });
    };
    return over_not_found(facts, matrix, "libcudnn", judge);
}

/// The same of cuBLAS, whose soname has the CUDA major. Every framework with
/// CUDA opens it, so it shows which CUDA major the framework needs.
Verdict cuda_version_mismatch(const Facts& facts, const Matrix& matrix) {
    if (has_dlls(facts))
        return dll_of_other_cuda_major(facts);
    const auto judge = [&](const Framework& framework,
                           const FrameworkLibrary& cublas,
                           VerdictBuilder& result) {
        const std::string name = words_of(framework);
        if (!framework.cuda)
            return result.unknown("the CUDA version that " + name + " was built for is unknown");
        const auto wanted = major_in_name(cublas.soname);
        const Library* other = usable_file(facts, [&](const Library& file) {
            return wanted && file.kind == LibraryKind::cublas && is_of_another_major(file, *wanted);
        });
        if (!other || file_named(facts, cublas.soname))
            return result.block_pass(
                cublas.soname + " is outside the loader's search path, or CUDA is not installed");
        const std::string found = std::to_string(*major_of_file(*other));
        result.fault({
            .subject = name,
            .part = part_of(framework),
            .message = name + " was built for CUDA " + framework.cuda->text + " and opens " +
                       cublas.soname + "; the installed CUDA version is " + found,
            .evidence =
                {{cublas.soname, "not found", "frameworks"},
                 {"CUDA " + found, other->path, "libraries"},
                 built_for(framework, "CUDA " + framework.cuda->text)},
            .remedies = {installing_cublas(
                facts,
                framework,
                remedy("cuda_version_mismatch", {std::to_string(framework.cuda->major()), found}))},
        });
    };
    return over_not_found(facts, matrix, "libcublas.so", judge);
}

namespace {

using stack::CudnnMatch;

/// The cuDNN that came with the framework, a file by that name in its own directories, if it is
/// another than the one that is loaded; null when there is none.
const Library* own_copy(
    const Facts& facts, const Framework& framework, const FrameworkLibrary& loaded) {
    for (const std::string& directory : directories_of(framework)) {
        const auto* own = usable_file(facts, [&](const Library& file) {
            return file.path == directory + '/' + loaded.soname;
        });
        if (own && own->path != *loaded.path)
            return own;
        if (own)
            return nullptr;
    }
    return nullptr;
}

/// Whether it is a fault that a framework gets this cuDNN, of this version.
using CudnnQuestion = std::function<bool(
    Finding&, const Framework&, const FrameworkLibrary& loaded, const Version&, CudnnMatch)>;

/// The cuDNN that a framework gets, against the one that it was built with. `is_fault` adds message
/// and remedies.
Verdict judge_cudnn(const Facts& facts, const Matrix& matrix, const CudnnQuestion& is_fault) {
    const auto judge =
        [&](const Framework& framework, const FrameworkLibrary& cudnn, VerdictBuilder& result) {
            const std::string name = words_of(framework);
            if (!cudnn.path)
                return result.block_pass(name + " finds no " + cudnn.soname);
            if (!framework.cudnn || !cudnn.found_by)
                return result.unknown(
                    "the cuDNN version that " + name +
                    " was built with, or how it finds cuDNN, is unknown");
            const auto version = version_of(facts, cudnn);
            if (!version)
                return result.unknown("the version of the cuDNN at " + *cudnn.path + " is unknown");
            Finding finding = {
                .subject = name,
                .part = part_of(framework),
                .evidence =
                    {{"cuDNN that it loads", version->text + " at " + *cudnn.path, "frameworks"},
                     {"found by", *cudnn.found_by, "frameworks"},
                     built_for(framework, "cuDNN " + framework.cudnn->text)},
                .symptoms = {name + " with " + *cudnn.path},
            };
            const CudnnMatch match = stack::cudnn_match(*version, *framework.cudnn, framework.name);
            if (!is_fault(finding, framework, cudnn, *version, match))
                return result.passed(name + " loads cuDNN " + version->text);
            result.fault(std::move(finding));
        };
    return over_opened(facts, matrix, "libcudnn", "every framework loads a suitable cuDNN", judge);
}

}  // namespace

/// cuDNN is of a later major than the framework knows. Its file name is of the framework's major
/// all the same: somebody made a link, or renamed it.
Verdict cudnn_newer_than_framework_supports(const Facts& facts, const Matrix& matrix) {
    if (has_dlls(facts))
        return dll_of_newer_cudnn(facts);
    const auto is_newer = [&](Finding& finding,
                              const Framework& framework,
                              const FrameworkLibrary& loaded,
                              const Version& cudnn,
                              CudnnMatch match) {
        if (match != CudnnMatch::too_new)
            return false;
        const std::string major = std::to_string(framework.cudnn->major());
        finding.message = words_of(framework) + " was built for cuDNN " + major + ", but " +
                          *loaded.path + ", which it loads, is cuDNN " + cudnn.text;
        finding.remedies = {installing_cudnn(
            facts, framework, remedy("cudnn_newer_than_framework_supports", {major}))};
        return true;
    };
    return judge_cudnn(facts, matrix, is_newer);
}

/// A cuDNN of the right major that is older than the one at build time:
/// functions of the newer one may be missing, and frameworks may reject it at
/// the first call (TensorFlow: "Loaded runtime CuDNN library: ... but source
/// was compiled with: ...").
Verdict cudnn_runtime_older_than_built(const Facts& facts, const Matrix& matrix) {
    if (has_dlls(facts))
        return dll_of_older_cudnn(facts);
    const auto is_older = [&](Finding& finding,
                              const Framework& framework,
                              const FrameworkLibrary& loaded,
                              const Version& cudnn,
                              CudnnMatch match) {
        if (match != CudnnMatch::too_old)
            return false;
        const std::string wanted = framework.cudnn->text,
                          major = std::to_string(framework.cudnn->major());
        const std::string name = words_of(framework);
        finding.message = name + " was built with cuDNN " + wanted + ", but loads the older " +
                          cudnn.text + " from " + *loaded.path;
        finding.remedies = {installing_cudnn(
            facts, framework, remedy("cudnn_runtime_older_than_built", {wanted, major, name}))};
        return true;
    };
    return judge_cudnn(facts, matrix, is_older);
}

/// A cuDNN of another major has other file names: it affects only programs that open
/// libcudnn.so without a version.
static std::optional<Finding> other_major_first(const Facts& facts, const Framework& framework) {
    const FrameworkLibrary* cudnn = opened(framework, "libcudnn");
    if (!cudnn || !cudnn->path || !framework.cudnn)
        return std::nullopt;
    const int major = framework.cudnn->major();
    const Library* file = usable_file(facts, [&](const Library& other) {
        return other.kind == LibraryKind::cudnn && other.found_via == FoundVia::ld_library_path &&
               is_of_another_major(other, major);
    });
    if (!file)
        return std::nullopt;
    return Finding{
        .severity = Severity::note,
        .subject = words_of(framework),
        .part = part_of(framework),
        .message = "LD_LIBRARY_PATH puts the cuDNN " + std::to_string(*major_of_file(*file)) +
                   " of " + directory_of(file->path) + " before the cuDNN " +
                   std::to_string(major) + " that " + words_of(framework) +
                   " opens; their file names differ, so this affects only programs that load "
                   "libcudnn.so without a "
                   "version",
        .evidence =
            {{"first in LD_LIBRARY_PATH", file->path, "libraries"},
             {"cuDNN that it loads", *cudnn->path, "frameworks"}},
        .remedies = {remedy("cudnn_shadowed/in_use", {directory_of(file->path)})},
        .confidence = Confidence::possible,
    };
}

/// LD_LIBRARY_PATH makes a framework pass over the cuDNN that it came with. A
/// fault only if what it loads instead does not suit it.
Verdict cudnn_shadowed(const Facts& facts, const Matrix& matrix) {
    if (has_dlls(facts))
        return wrong_dll_of_cudnn_first(facts);
    const auto passes_over_its_own = [&](Finding& finding,
                                         const Framework& framework,
                                         const FrameworkLibrary& loaded,
                                         const Version& cudnn,
                                         CudnnMatch match) {
        if (loaded.found_by != "LD_LIBRARY_PATH" || match == CudnnMatch::compatible)
            return false;
        const Library* own = own_copy(facts, framework, loaded);
        if (!own)
            return false;
        const std::string directory = directory_of(*loaded.path);
        std::string_view compared = "of a different major version than";
        if (match == CudnnMatch::too_old)
            compared = "older than";
        finding.message = concat(
            "because of LD_LIBRARY_PATH, ",
            words_of(framework),
            " loads cuDNN ",
            cudnn.text,
            " from ",
            directory,
            " instead of its own at ",
            own->path,
            "; it is ",
            compared,
            " the ",
            framework.cudnn->text,
            " that it was built with");
        finding.evidence.push_back({"its bundled cuDNN", own->path, "libraries"});
        finding.remedies = {remedy("cudnn_shadowed/in_use", {directory})};
        return true;
    };
    Verdict verdict = judge_cudnn(facts, matrix, passes_over_its_own);
    if (verdict.outcome != Outcome::pass)
        return verdict;
    for (const Framework& framework : judged_frameworks(facts, matrix))
        if (auto finding = other_major_first(facts, framework))
            return fault(std::move(*finding));
    return verdict;
}

/// PyTorch, imported before it, leaves its cuDNN in the process, where others find it by name.
static bool torch_in_same_environment(const Facts& facts, const Framework& framework) {
    return std::ranges::any_of(facts.frameworks, [&](const Framework& other) {
        return other.name == "pytorch" && other.environment == framework.environment &&
               other.uses_cuda.value_or(false);
    });
}

/// By what the framework is used for, and by what else is in its environment.
static Severity severity_of_missing(const Facts& facts, const Framework& framework) {
    if (is_for_training(framework))
        return Severity::error;
    if (torch_in_same_environment(facts, framework))
        return Severity::note;
    return Severity::warning;
}

/// The library whose name begins with `stem` is installed where the loader does not look.
static Verdict judge_loader_path(const Facts& facts, const Matrix& matrix, std::string_view stem) {
    const auto judge =
        [&](const Framework& framework, const FrameworkLibrary& wanted, VerdictBuilder& result) {
            const std::string name = words_of(framework);
            const Library* file = file_named(facts, wanted.soname);
            if (!file)
                return result.block_pass(wanted.soname + " is not installed");
            result.fault({
                .severity = severity_of_missing(facts, framework),
                .subject = name,
                .part = part_of(framework),
                .message = name + " opens " + wanted.soname + ", which is at " + file->path +
                           ", outside the loader's search path",
                .evidence =
                    {{wanted.soname, "not found by the loader", "frameworks"},
                     {"installed at", file->path, "libraries"},
                     {"opened by", if_known(framework.core), "frameworks"}},
                .remedies = {remedy(
                    "cudnn_not_on_loader_path", {export_of_loader_path(directory_of(file->path))})},
            });
        };
    return over_not_found(facts, matrix, stem, judge);
}

/// The cuDNN that a framework opens is installed, but neither in one of its own
/// directories nor where the loader searches (LD_LIBRARY_PATH, ld.so.cache).
Verdict cudnn_not_on_loader_path(const Facts& facts, const Matrix& matrix) {
    if (has_dlls(facts))
        return dll_of_cudnn_not_on_path(facts);
    return judge_loader_path(facts, matrix, "libcudnn");
}

/// The same of cuBLAS, beside which the other libraries of that CUDA are.
Verdict cuda_lib_not_on_loader_path(const Facts& facts, const Matrix& matrix) {
    if (has_dlls(facts))
        return dll_of_cuda_not_on_path(facts);
    return judge_loader_path(facts, matrix, "libcublas.so");
}

}  // namespace rnncheck::rules
