// cuDNN answers its version, but the half of it that computes recurrent networks does not work.
#include "base/text.hpp"
#include "rules/rule.hpp"
#include "rules/support/cudnn_support.hpp"

namespace rnncheck::rules::cudnn_rnn_unusable {

/// The part that the library's words name, with its path or without.
static std::string part_named(const CallResult& failure) {
    const auto begin = failure.text.find("libcudnn_");
    if (begin == std::string::npos) return "";
    return failure.text.substr(begin, failure.text.find_first_of(" :,;()'\"", begin) - begin);
}

static Finding unusable(const CudnnCopy& copy) {
    const auto& failure = copy.answer->failure;
    Finding finding;
    finding.severity = severity_of(copy);
    finding.subject = copy.path;
    finding.message = "the RNN API of " + name_of(copy) + " does not work" + (failure ? ": " + told(*failure) : "");
    finding.evidence = {{"RNN API", "does not work", "cudnns"}};
    if (failure) finding.evidence.push_back({"failed call", told(*failure), "cudnns"});
    const std::string part = failure ? part_named(*failure) : "";
    if (!part.empty())
        finding.evidence.push_back(
            {part, "named by the library; searched: " + directory_of(copy.path) + " and the loader's search path",
             "cudnns"});
    finding.remedies = {{.text = "Reinstall all of this cuDNN from a single source, with cuBLAS and NVRTC of its CUDA "
                                 "version; cuDNN's log names the missing file",
                         .commands = {"export CUDNN_LOGLEVEL_DBG=2 CUDNN_LOGDEST_DBG=stderr"},
                         .verify = "rnncheck doctor --only cudnn_rnn_unusable",
                         .link = "https://docs.nvidia.com/deeplearning/cudnn/installation/latest/linux.html"}};
    return finding;
}

/// Rules about the parts themselves say it more exactly.
static std::string told_by_another_rule(const Facts& facts, const Matrix& matrix, const CudnnCopy& copy) {
    const auto& failure = copy.answer->failure;
    if (failure && is_version_mismatch(copy.major, *failure)) return "libraries of different cuDNN versions are mixed";
    if (!parts_missing(facts, copy, matrix).empty()) return "a cuDNN library is missing";
    for (const auto& part : parts_needed(copy, matrix)) {
        const Library* file = part_of(facts, copy, part.soname);
        if (file && file->problem) return "a cuDNN library cannot be loaded";
    }
    return "";
}

static void judge(const Facts& facts, const Matrix& matrix, const CudnnCopy& copy, Answers& answers) {
    if (never_answered(copy)) return answers.told_elsewhere(name_of(copy) + " does not work");
    if (!copy.answer->rnn_usable) return answers.unknown("the RNN API of " + name_of(copy) + " did not respond");
    if (*copy.answer->rnn_usable) return answers.good("the RNN API of cuDNN works");
    const std::string other = told_by_another_rule(facts, matrix, copy);
    if (!other.empty()) return answers.told_elsewhere(other);
    answers.fault(unusable(copy));
}

static Verdict check(const Facts& facts, const Matrix& matrix) {
    const auto copies = cudnn_copies(facts);
    if (copies.empty()) return without_cudnn(facts);
    Answers answers;
    for (const auto& copy : copies)
        if (copy.answer) judge(facts, matrix, copy, answers);
    const std::string silent = silent_copy(facts, LibraryKind::cudnn);
    if (!silent.empty()) answers.unknown("cuDNN at " + silent + " did not respond");
    return answers.close();
}

extern const Rule rule{.title = "The RNN API of cuDNN does not work",
                       .layer = Layer::cudnn,
                       .worst = Severity::error,
                       .needs = Stage::ask,
                       .check = check};

}  // namespace rnncheck::rules::cudnn_rnn_unusable
