// cuDNN refused the arguments or the set-up of a case that frameworks use.
#include "rules/rule.hpp"
#include "rules/support/cases.hpp"

namespace rnncheck::rules::rnn_call_refused {

static Finding rejected(const Facts& facts, const Sweep& sweep, const Runs& runs) {
    const RnnRun& first = *runs.front();
    Finding finding;
    finding.subject = subject_of(facts, sweep);
    finding.symptoms = places_of(facts, runs);
    finding.message = name_of(facts, sweep) + " rejects " + pluralized(runs.size(), "RNN case", "RNN cases") +
                      ", first '" + describe(first.rnn_case) + "': " + in_words(first.result);
    add_cases(facts, runs, finding);
    finding.remedies = {
        {.action = Action::reinstall_package,
         .text = "Reinstall cuDNN from a single source, with the driver and CUDA versions it requires; "
                 "cuDNN's log shows the rejected argument",
         .commands = {"export CUDNN_LOGLEVEL_DBG=2 CUDNN_LOGERR_DBG=1 CUDNN_LOGWARN_DBG=1 CUDNN_LOGDEST_DBG=stderr"},
         .verify = verify_command(facts, first),
         .link = "https://docs.nvidia.com/deeplearning/cudnn/latest/api/cudnn-adv-library.html"}};
    return finding;
}

static Verdict check(const Facts& facts, const Matrix&) {
    VerdictBuilder answers;
    for (const auto& sweep : sweeps(facts)) {
        const Runs runs = runs_with(sweep, RunEnd::rejected);
        if (!runs.empty()) answers.fault(about_cases(facts, sweep, runs, "rejected by", rejected));
    }
    return answers.close_or(pass_if_tried(facts, "cuDNN rejected no case"));
}

extern const Rule rule{.title = "cuDNN rejects an RNN call",
                       .layer = Layer::rnn,
                       .stage = Stage::run,
                       .check = check,
                       .yields_to = causes_of_failed_cases()};

}  // namespace rnncheck::rules::rnn_call_refused
