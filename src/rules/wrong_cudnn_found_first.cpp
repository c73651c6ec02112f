// A cuDNN that is found before the one a framework brings along.
#include "base/text.hpp"
#include "rules/rule.hpp"
#include "rules/support/frameworks.hpp"

namespace rnncheck::rules::wrong_cudnn_found_first {

static void other_first(Finding& finding, const Framework& framework, const FrameworkBuild& build,
                        const Version& cudnn) {
    const bool other_names = cudnn.major() != build.cudnn->major();
    finding.severity = other_names ? Severity::note : Severity::warning;
    finding.confidence = other_names ? Confidence::possible : Confidence::likely;
    finding.message =
        words_of(framework) + " brings cuDNN " + build.cudnn->text + " along; " +
        (other_names ? "the file names of cuDNN " + cudnn.text +
                           " differ, so it is in the way only of what asks for libcudnn.so without a number"
                     : "where cuDNN " + cudnn.text +
                           " is found first, through LD_LIBRARY_PATH or in the system, it is refused or fails");
    finding.remedies = {{.text = "Take the directory of cuDNN " + cudnn.text +
                                 " out of LD_LIBRARY_PATH for this program; it needs no cuDNN of the system",
                         .commands = {"echo $LD_LIBRARY_PATH"},
                         .verify = "rnncheck doctor",
                         .link = "https://man7.org/linux/man-pages/man8/ld.so.8.html"}};
}

static bool passes_over_its_own(const CudnnInUse& use) {
    return use.own && use.library.found_by == "LD_LIBRARY_PATH" && serves(use.version, use.built_with) != Serves::well;
}

static Remedy take_out(const std::string& directory) {
    return {.text = "Take the directory " + directory + " out of LD_LIBRARY_PATH for this program",
            .commands = {"echo $LD_LIBRARY_PATH"},
            .link = "https://man7.org/linux/man-pages/man8/ld.so.8.html"};
}

static void describe_in_use(Finding& finding, const CudnnInUse& use) {
    const std::string directory = directory_of(*use.library.path);
    finding.severity = Severity::error;
    const bool older = serves(use.version, use.built_with) == Serves::too_old;
    finding.message = "LD_LIBRARY_PATH gives " + words_of(use.framework) + " the cuDNN " + use.version.text + " of " +
                      directory + ", " + (older ? "older than the " : "of another major than the ") +
                      use.built_with.text + " that it was built with, before its own at " + use.own->path;
    finding.evidence.push_back({"its own copy", use.own->path, "libraries"});
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
        Finding finding;
        finding.severity = Severity::note;
        finding.confidence = Confidence::possible;
        finding.subject = words_of(framework);
        finding.message = "LD_LIBRARY_PATH puts the cuDNN " + std::to_string(*major) + " of " +
                          directory_of(file.path) + " before the cuDNN " + std::to_string(framework.cudnn->major()) +
                          " that " + words_of(framework) +
                          " opens; their file names differ, so it is in the way only of what "
                          "asks for libcudnn.so without a number";
        finding.evidence = {{"first in LD_LIBRARY_PATH", file.path, "libraries"},
                            {"cuDNN it gets", *cudnn->path, "frameworks"}};
        finding.remedies = {take_out(directory_of(file.path))};
        return finding;
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

extern const Rule rule{.title = "A cuDNN found first is not the one the framework brings along",
                       .layer = Layer::cudnn,
                       .max_severity = Severity::error,
                       .stage = Stage::ask,
                       .check = check,
                       .what_if_inputs = "cudnn= and a framework"};

}  // namespace rnncheck::rules::wrong_cudnn_found_first
