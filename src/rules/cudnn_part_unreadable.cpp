// A part of cuDNN that would be loaded is there by name, but cannot be a library.
#include "rules/rule.hpp"
#include "rules/support/probes.hpp"

namespace rnncheck::rules::cudnn_part_unreadable {

static Finding unreadable(const Facts& facts, const CudnnCopy& copy, const CudnnPart& part, const Library& file) {
    const std::string what =
        file.problem_detail ? escaped(*file.problem_detail, 300) : std::string(name_of(*file.problem));
    auto explains = crashes_of_cudnn_in(facts, directory_of(copy.path));
    append(explains, std::vector{name_in(copy, part), rnn_api_of(copy)});
    return {
        .severity = severity_of(copy),
        .subject = file.path,
        .message =
            "the library " + part.soname + " of " + name_of(copy) + " cannot be loaded: " + file.path + ' ' + what,
        .evidence = {{file.path, what, "libraries"}, {part.soname, "needed by recurrent networks", part.source.url}},
        .remedies = {for_cuda_of(
            copy, reinstalling_cudnn(
                      facts, copy,
                      {.action = Action::reinstall_package,
                       .text = "Remove the damaged file if no package owns it, then reinstall this cuDNN from its "
                               "original source",
                       .link = "https://docs.nvidia.com/deeplearning/cudnn/installation/latest/linux.html"}))},
        .symptoms = {file.path},
        .explains = std::move(explains)};
}

static void judge(const Facts& facts, const Matrix& matrix, const CudnnCopy& copy, VerdictBuilder& answers) {
    if (!libraries_listed(facts)) return answers.unknown("the library directories could not be searched");
    if (copy.major == 0) return answers.unknown("the version of " + name_of(copy) + " is unknown");
    if (matrix.cudnn_parts(copy.major).empty())
        return copy.answer && copy.answer->rnn_usable.value_or(false)
                   ? answers.passed("the RNN API of cuDNN works, so its files are complete")
                   : answers.unknown("the libraries of " + name_of(copy) + " are not in the compatibility data of " +
                                     matrix.date());
    for (const auto& part : parts_needed(copy, matrix)) {
        const Library* file = part_of(facts, copy, part.soname);
        if (!file)
            answers.no_pass(part.soname + " is missing");
        else if (file->problem)
            answers.fault(unreadable(facts, copy, part, *file));
        else if (!read_whole(*file))
            answers.unknown(file->path + " was not read completely");
    }
    answers.passed("every cuDNN library that recurrent networks need is a complete file");
}

extern const Rule rule{
    .title = "A cuDNN library is damaged or cannot be read",
    .layer = Layer::cudnn,
    .stage = Stage::look,
    .check = [](const Facts& facts, const Matrix& matrix) { return over_copies(facts, matrix, judge); }};

}  // namespace rnncheck::rules::cudnn_part_unreadable
