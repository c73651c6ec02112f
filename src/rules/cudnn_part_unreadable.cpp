// A part of cuDNN that would be loaded is there by name, but cannot be a library.
#include "base/text.hpp"
#include "rules/rule.hpp"
#include "rules/support/driver_support.hpp"
#include "rules/support/packages.hpp"

namespace rnncheck::rules::cudnn_part_unreadable {

static Finding unreadable(const Facts& facts, const CudnnCopy& copy, const CudnnPart& part, const Library& file) {
    const std::string what =
        file.problem_detail ? escaped(*file.problem_detail, 300) : std::string(name_of(*file.problem));
    Finding finding;
    finding.severity = severity_of(copy);
    finding.subject = file.path;
    finding.message =
        "the library " + part.soname + " of " + name_of(copy) + " cannot be loaded: " + file.path + ' ' + what;
    finding.evidence = {{file.path, what, "libraries"}, {part.soname, "needed by recurrent networks", part.source.url}};
    finding.remedies = for_cuda_of(
        copy,
        {reinstalling_cudnn(
            facts, copy,
            {.text =
                 "Remove the damaged file if no package owns it, then reinstall this cuDNN from its original source",
             .commands = {},
             .verify = "rnncheck doctor --only cudnn_part_unreadable",
             .link = "https://docs.nvidia.com/deeplearning/cudnn/installation/latest/linux.html"})});
    return finding;
}

static void judge(const Facts& facts, const Matrix& matrix, const CudnnCopy& copy, Answers& answers) {
    if (copy.major == 0) return answers.unknown("the version of " + name_of(copy) + " is unknown");
    for (const auto& part : parts_needed(copy, matrix)) {
        const Library* file = part_of(facts, copy, part.soname);
        if (!file)
            answers.told_elsewhere(part.soname + " is missing");
        else if (file->problem)
            answers.fault(unreadable(facts, copy, part, *file));
        else if (!read_whole(*file))
            answers.unknown(file->path + " was not read completely");
    }
    answers.good("every cuDNN library that recurrent networks need is a complete file");
}

static Verdict check(const Facts& facts, const Matrix& matrix) {
    const auto copies = cudnn_copies(facts);
    if (copies.empty()) return without_cudnn(facts);
    if (!libraries_listed(facts)) return undecided("the library directories could not be searched");
    Answers answers;
    for (const auto& copy : copies) {
        const bool in_data = copy.major == 0 || !matrix.cudnn_parts(copy.major).empty();
        if (!in_data && copy.answer && copy.answer->rnn_usable.value_or(false))
            answers.good("the RNN API of cuDNN works, so its files are complete");
        else if (!in_data)
            answers.unknown("the libraries of " + name_of(copy) + " are not in the compatibility data of " +
                            matrix.date());
        else
            judge(facts, matrix, copy, answers);
    }
    return answers.close();
}

extern const Rule rule{.title = "A cuDNN library is damaged or cannot be read",
                       .layer = Layer::cudnn,
                       .worst = Severity::error,
                       .needs = Stage::look,
                       .check = check};

}  // namespace rnncheck::rules::cudnn_part_unreadable
