// cuDNN 8 and 9 are several files, and one that recurrent networks need is not where the front library looks.
#include "rules/rule.hpp"
#include "rules/support/probes.hpp"

namespace rnncheck::rules::cudnn_part_missing {

static Finding missing(const Facts& facts, const CudnnCopy& copy, const std::vector<CudnnPart>& parts) {
    const std::string searched = directory_of(copy.path) + " and the loader's search path";
    Finding finding;
    finding.severity = severity_of(copy);
    finding.subject = copy.path;
    finding.explains = each(parts, [&](const CudnnPart& part) { return name_in(copy, part); });
    finding.explains.push_back(rnn_api_of(copy));
    append(finding.explains, crashes_of_cudnn_in(facts, directory_of(copy.path)));
    finding.message = name_of(copy) + " lacks " + join_with_and(each(parts, &CudnnPart::soname)) +
                      ", so its RNN API cannot be used; searched: " + searched;
    for (const auto& part : parts) {
        const std::string why = part.needed_by_version ? "needed by every call" : "needed by recurrent networks";
        finding.evidence.push_back({part.soname, "not found in " + searched, "libraries"});
        const bool adds_nothing = part.note.empty() || why.ends_with(part.note);
        finding.evidence.push_back({part.soname, adds_nothing ? why : why + ": " + part.note, part.source.url});
    }
    if (copy.answer && copy.answer->failure)
        finding.evidence.push_back({"failed call", in_words(*copy.answer->failure), "cudnns"});
    finding.remedies = {for_cuda_of(
        copy,
        reinstalling_cudnn(facts, copy,
                           {.action = Action::reinstall_package,
                            .text = "Reinstall this cuDNN from its original source, so that all its libraries are in "
                                    "one directory. If they are in another directory, add it to LD_LIBRARY_PATH",
                            .link = "https://docs.nvidia.com/deeplearning/cudnn/latest/api/overview.html"}))};
    return finding;
}

static void judge(const Facts& facts, const Matrix& matrix, const CudnnCopy& copy, VerdictBuilder& answers) {
    if (copy.answer && copy.answer->rnn_usable.value_or(false))
        return answers.passed("the RNN API of cuDNN works, so its libraries are installed");
    if (copy.major == 0) return answers.unknown("the version of " + name_of(copy) + " is unknown");
    if (matrix.cudnn_parts(copy.major).empty())
        return answers.unknown("the libraries of " + name_of(copy) + " are not in the compatibility data of " +
                               matrix.date());
    if (parts_needed(copy, matrix).empty()) return answers.passed(name_of(copy) + " is a single file");
    const auto parts = parts_missing(facts, copy, matrix);
    if (!parts.empty() && !libraries_listed(facts))
        return answers.unknown("the library directories could not be searched");
    if (!parts.empty())
        answers.fault(missing(facts, copy, parts));
    else
        answers.passed("all cuDNN libraries that recurrent networks need are installed");
}

extern const Rule rule{
    .title = "A cuDNN library is missing",
    .layer = Layer::cudnn,
    .stage = Stage::look,
    .check = [](const Facts& facts, const Matrix& matrix) { return over_copies(facts, matrix, judge); }};

}  // namespace rnncheck::rules::cudnn_part_missing
