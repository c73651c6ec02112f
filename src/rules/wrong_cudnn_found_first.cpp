// A cuDNN that is found before the one that a framework bundles.
#include "rules/rule.hpp"

namespace rnncheck::rules::wrong_cudnn_found_first {

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
    finding.remedies = {{.action = Action::change_environment,
                         .text = "Remove the directory of cuDNN " + cudnn.text +
                                 " from LD_LIBRARY_PATH for this program, which needs no system-wide cuDNN",
                         .commands = {"echo $LD_LIBRARY_PATH"},
                         .verify = "rnncheck doctor",
                         .link = "https://man7.org/linux/man-pages/man8/ld.so.8.html"}};
}

static bool passes_over_its_own(const CudnnInUse& use) {
    return use.own && use.library.found_by == "LD_LIBRARY_PATH" && serves(use.version, use.built_with) != Serves::well;
}

static Remedy take_out(const std::string& directory) {
    return {.action = Action::change_environment,
            .text = "Remove " + directory + " from LD_LIBRARY_PATH for this program",
            .commands = {"echo $LD_LIBRARY_PATH"},
            .link = "https://man7.org/linux/man-pages/man8/ld.so.8.html"};
}

static void describe_in_use(Finding& finding, const CudnnInUse& use) {
    const std::string directory = directory_of(*use.library.path);
    finding.severity = Severity::error;
    const bool older = serves(use.version, use.built_with) == Serves::too_old;
    finding.message = "because of LD_LIBRARY_PATH, " + words_of(use.framework) + " loads cuDNN " + use.version.text +
                      " from " + directory + " instead of its own at " + use.own->path + "; it is " +
                      (older ? "older than the " : "of a different major version than the ") + use.built_with.text +
                      " that it was built with";
    finding.evidence.push_back({"its bundled cuDNN", use.own->path, "libraries"});
    finding.remedies = {take_out(directory)};
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
            .remedies = {take_out(directory_of(file.path))},
            .confidence = Confidence::possible};
    }
    return std::nullopt;
}

static Verdict judge_machine(const Facts& facts, const Matrix& matrix) {
    Verdict verdict = judge_cudnn_in_use(facts, matrix, passes_over_its_own, describe_in_use);
    if (verdict.outcome == Outcome::fault) return verdict;
    for (const Framework& framework : judged_frameworks(facts, matrix)) {
        auto finding = other_major_first(facts, framework);
        if (!finding) continue;
        if (verdict.outcome == Outcome::pass) verdict = fault(std::move(*finding));
    }
    return verdict;
}

static Verdict check(const Facts& facts, const Matrix& matrix) {
    if (!only_given(facts)) return judge_machine(facts, matrix);
    return judge_cudnn_of_frameworks(
        facts, matrix, brings_libraries, [](Serves how) { return how != Serves::well; }, other_first);
}

extern const Rule rule{.title = "A different cuDNN is found before the one that the framework bundles",
                       .layer = Layer::cudnn,
                       .stage = Stage::ask,
                       .check = check,
                       .what_if_inputs = "cudnn= and a framework"};

}  // namespace rnncheck::rules::wrong_cudnn_found_first
