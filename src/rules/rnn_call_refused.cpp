// cuDNN refused the arguments or the set-up of a case that frameworks use.
#include "base/text.hpp"
#include "rnn/sweep.hpp"
#include "rules/rule.hpp"
#include "rules/support/rnn_support.hpp"

namespace rnncheck::rules::rnn_call_refused {

static Finding refused(const Facts& facts, const Sweep& sweep, const Runs& runs) {
    const RnnRun& first = *runs.front();
    Finding finding;
    finding.subject = subject_of(facts, sweep);
    finding.message = name_of(facts, sweep) + " rejects " + pluralized(runs.size(), "RNN case", "RNN cases") +
                      ", first '" + describe(first.rnn_case) + "': " + told(first.result);
    for (std::size_t i = 0; i < runs.size() && i < 5; ++i)
        finding.evidence.push_back(evidence_of(facts, *runs[i], told(runs[i]->result)));
    finding.remedies = {{.text = "Reinstall cuDNN from a single source, with the driver and CUDA versions it requires; "
                                 "cuDNN's log shows the rejected argument",
                         .commands = {"export CUDNN_LOGLEVEL_DBG=2 CUDNN_LOGDEST_DBG=stderr"},
                         .verify = verify_command(facts, first, "rnn_call_refused"),
                         .link = "https://docs.nvidia.com/deeplearning/cudnn/latest/api/cudnn-adv-library.html"}};
    return finding;
}

static Verdict check(const Facts& facts, const Matrix&) {
    Answers answers;
    for (const auto& sweep : sweeps(facts)) {
        Runs unexplained;
        for (const RnnRun* run : runs_with(sweep, RunEnd::rejected)) {
            const auto cause =
                run->result ? explained_elsewhere(facts, run->gpu, run->library, *run->result) : std::nullopt;
            if (cause)
                answers.told_elsewhere(*cause);
            else
                unexplained.push_back(run);
        }
        auto note = take_not_promised(facts, sweep, unexplained, "rejected by");
        if (!unexplained.empty())
            answers.fault(refused(facts, sweep, unexplained));
        else if (note)
            answers.fault(std::move(*note));
    }
    return answers.close_or(pass_if_tried(facts, "cuDNN rejected no case"));
}

extern const Rule rule{.title = "cuDNN rejects an RNN call",
                       .layer = Layer::rnn,
                       .worst = Severity::error,
                       .needs = Stage::run,
                       .check = check};

}  // namespace rnncheck::rules::rnn_call_refused
