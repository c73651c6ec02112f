// A copy of cuDNN cannot be opened, or does not even tell its version.
#include "rules/rule.hpp"

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
    return {
        .severity = severity_of(copy),
        .subject = copy.path,
        .message = "cuDNN at " + copy.path + ' ' + why_unusable(failure),
        .evidence = {{"failed call", in_words(failure), "cudnns"},
                     {"required libraries that were not found",
                      copy.file ? join_with_and(copy.file->missing_needs) : "", "libraries"}},
        .remedies =
            {{.action = Action::reinstall_package,
              .text =
                  "Install the library that the loader's message names, or reinstall this cuDNN from a single source",
              .commands = {"/sbin/ldconfig -p | grep libcudnn"},
              .link = "https://docs.nvidia.com/deeplearning/cudnn/installation/latest/linux.html"}},
        .symptoms = parts_named(copy, matrix)};
}

static void judge(const Facts&, const Matrix& matrix, const CudnnCopy& copy, VerdictBuilder& answers) {
    if (copy.answer->version) return answers.passed("every cuDNN installation reports its version");
    if (!copy.answer->failure) return answers.unknown("cuDNN at " + copy.path + " did not report its version");
    if (was_not_opened(*copy.answer->failure)) return answers.no_pass(leads_to_a_pipe);
    answers.fault(unusable(copy, matrix));
}

extern const Rule rule{
    .title = "A cuDNN installation cannot be used",
    .layer = Layer::cudnn,
    .stage = Stage::ask,
    .check = [](const Facts& facts, const Matrix& matrix) { return over_copies_that_answer(facts, matrix, judge); },
    .yields_to = {"cudnn_part_missing", "cudnn_part_unreadable"}};

}  // namespace rnncheck::rules::cudnn_unusable
