// A copy of cuDNN cannot be opened, or does not even tell its version.
#include "base/text.hpp"
#include "rules/rule.hpp"
#include "rules/support/cudnn_support.hpp"

namespace rnncheck::rules::cudnn_unusable {

/// The loader or cuDNN names a part that is nowhere, or one that is broken.
static bool names_bad_part(const Facts& facts, const Matrix& matrix, const CudnnCopy& copy) {
    const std::string& words = copy.answer->failure->text;
    for (const auto& part : parts_missing(facts, copy, matrix))
        if (contains(words, part.soname)) return true;
    for (const auto& part : parts_needed(copy, matrix)) {
        const Library* file = part_of(facts, copy, part.soname);
        if (file && file->problem && contains(words, part.soname)) return true;
    }
    return false;
}

static Finding unusable(const CudnnCopy& copy) {
    const CallResult& failure = *copy.answer->failure;
    const bool opened = !failure.call.starts_with("dlopen");
    Finding finding;
    finding.severity = severity_of(copy);
    finding.subject = copy.path;
    finding.message = "cuDNN at " + copy.path + (opened ? " does not report its version: " : " cannot be opened: ") +
                      (opened ? told(failure) : escaped(failure.text, 300));
    finding.evidence = {{"failed call", told(failure), "cudnns"}};
    if (copy.file && !copy.file->missing_needs.empty())
        finding.evidence.push_back(
            {"required libraries that were not found", join_with_and(copy.file->missing_needs), "libraries"});
    finding.remedies = {
        {.text = "Install the library that the loader's message names, or reinstall this cuDNN from a single source",
         .commands = {"ldconfig -p | grep libcudnn"},
         .verify = "rnncheck doctor --only cudnn_unusable",
         .link = "https://docs.nvidia.com/deeplearning/cudnn/installation/latest/linux.html"}};
    return finding;
}

static Verdict check(const Facts& facts, const Matrix& matrix) {
    const auto copies = cudnn_copies(facts);
    if (copies.empty()) return without_cudnn(facts);
    Answers answers;
    for (const auto& copy : copies) {
        if (!copy.answer) continue;
        if (copy.answer->version)
            answers.good("every cuDNN installation reports its version");
        else if (!copy.answer->failure)
            answers.unknown("cuDNN at " + copy.path + " did not report its version");
        else if (was_refused(*copy.answer->failure))
            answers.told_elsewhere(leads_to_a_pipe);
        else if (names_bad_part(facts, matrix, copy))
            answers.told_elsewhere("a cuDNN library is missing or damaged");
        else
            answers.fault(unusable(copy));
    }
    const std::string silent = silent_copy(facts, LibraryKind::cudnn);
    if (!silent.empty()) answers.unknown("cuDNN at " + silent + " did not respond");
    return answers.close();
}

extern const Rule rule{.title = "A cuDNN installation cannot be used",
                       .layer = Layer::cudnn,
                       .worst = Severity::error,
                       .needs = Stage::ask,
                       .check = check};

}  // namespace rnncheck::rules::cudnn_unusable
