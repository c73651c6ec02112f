// cuDNN answers its version, but the half of it that computes recurrent networks does not work.
#include "rules/rule.hpp"

namespace rnncheck::rules::cudnn_rnn_unusable {

/// The part that the library's words name, with its path or without.
static std::string part_named(const CallResult& failure) {
    const auto begin = failure.text.find("libcudnn_");
    if (begin == std::string::npos) return "";
    return failure.text.substr(begin, failure.text.find_first_of(" :,;()'\"", begin) - begin);
}

static Finding unusable(const CudnnCopy& copy) {
    const auto& failure = copy.answer->failure;
    const std::string part = failure ? part_named(*failure) : "";
    return {
        .severity = severity_of(copy),
        .subject = copy.path,
        .message = "the RNN API of " + name_of(copy) + " does not work" + (failure ? ": " + in_words(*failure) : ""),
        .evidence = {{"RNN API", "does not work", "cudnns"},
                     {"failed call", if_known(failure), "cudnns"},
                     {"named by the library",
                      part.empty() ? ""
                                   : part + "; searched: " + directory_of(copy.path) + " and the loader's search path",
                      "cudnns"}},
        .remedies =
            {{.action = Action::reinstall_package,
              .text = "Reinstall all of this cuDNN from a single source, with cuBLAS and NVRTC of its CUDA "
                      "version; cuDNN's log names the missing file",
              .commands =
                  {"export CUDNN_LOGLEVEL_DBG=2 CUDNN_LOGERR_DBG=1 CUDNN_LOGWARN_DBG=1 CUDNN_LOGDEST_DBG=stderr"},
              .link = "https://docs.nvidia.com/deeplearning/cudnn/installation/latest/linux.html"}},
        .symptoms = {rnn_api_of(copy)}};
}

static void judge(const Facts&, const Matrix&, const CudnnCopy& copy, VerdictBuilder& answers) {
    if (never_answered(copy)) return answers.no_pass(name_of(copy) + " does not work");
    if (!copy.answer->rnn_usable) return answers.unknown("the RNN API of " + name_of(copy) + " did not respond");
    if (*copy.answer->rnn_usable) return answers.passed("the RNN API of cuDNN works");
    if (copy.answer->failure && is_version_mismatch(copy.major, *copy.answer->failure))
        return answers.no_pass("libraries of different cuDNN versions are mixed");
    answers.fault(unusable(copy));
}

extern const Rule rule{
    .title = "The RNN API of cuDNN does not work",
    .layer = Layer::cudnn,
    .stage = Stage::ask,
    .check = [](const Facts& facts, const Matrix& matrix) { return over_copies_that_answer(facts, matrix, judge); },
    .yields_to = {"cudnn_part_missing", "cudnn_part_unreadable"}};

}  // namespace rnncheck::rules::cudnn_rnn_unusable
