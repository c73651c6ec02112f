// A copy of cuDNN cannot be opened, or does not even tell its version.
#include "base/text.hpp"
#include "rules/rule.hpp"
#include "rules/support/cudnn.hpp"
#include "rules/support/words.hpp"

namespace rnncheck::rules::cudnn_unusable {

/// The parts that the words of the loader or of cuDNN name.
static std::vector<std::string> parts_named(const CudnnCopy& copy, const Matrix& matrix) {
    std::vector<std::string> parts;
    for (const auto& part : parts_needed(copy, matrix))
        if (contains(copy.answer->failure->text, part.soname)) parts.push_back(name_in(copy, part));
    return parts;
}

static Finding unusable(const CudnnCopy& copy, const Matrix& matrix) {
    const CallResult& failure = *copy.answer->failure;
    const bool opened = !failure.call.starts_with("dlopen");
    Finding finding;
    finding.severity = severity_of(copy);
    finding.subject = copy.path;
    finding.symptoms = parts_named(copy, matrix);
    finding.message = "cuDNN at " + copy.path + (opened ? " does not tell its version: " : " cannot be opened: ") +
                      (opened ? told(failure) : escaped(failure.text, 300));
    finding.evidence = {{"failed call", told(failure), "cudnns"}};
    if (copy.file && !copy.file->missing_needs.empty())
        finding.evidence.push_back(
            {"libraries it needs that are not found", join_with_and(copy.file->missing_needs), "libraries"});
    finding.remedies = {{.text = "See which file the loader's words name: supply that library, or install this cuDNN "
                                 "once more from one source",
                         .commands = {"ldconfig -p | grep libcudnn"},
                         .link = "https://docs.nvidia.com/deeplearning/cudnn/installation/latest/linux.html"}};
    return finding;
}

static Verdict check(const Facts& facts, const Matrix& matrix) {
    const auto copies = cudnn_copies(facts);
    if (copies.empty()) return without_cudnn(facts);
    VerdictBuilder answers;
    for (const auto& copy : copies) {
        if (!copy.answer) continue;
        if (copy.answer->version)
            answers.passed("every copy of cuDNN asked tells its version");
        else if (!copy.answer->failure)
            answers.unknown("cuDNN at " + copy.path + " did not tell its version");
        else if (was_refused(*copy.answer->failure))
            answers.no_pass(leads_to_a_pipe);
        else
            answers.fault(unusable(copy, matrix));
    }
    const std::string silent = silent_copy(facts, LibraryKind::cudnn);
    if (!silent.empty()) answers.unknown("cuDNN at " + silent + " did not answer");
    return answers.close();
}

extern const Rule rule{.title = "A copy of cuDNN cannot be used",
                       .layer = Layer::cudnn,
                       .max_severity = Severity::error,
                       .stage = Stage::ask,
                       .check = check,
                       .yields_to = {"cudnn_part_missing", "cudnn_part_unreadable"}};

}  // namespace rnncheck::rules::cudnn_unusable
