// A call for a recurrent network failed, or its process died in it.
#include "base/text.hpp"
#include "rnn/sweep.hpp"
#include "rules/rule.hpp"
#include "rules/support/probe_support.hpp"
#include "rules/support/rnn_support.hpp"
#include "rules/support/situation.hpp"

namespace rnncheck::rules::rnn_call_failed {

/// The process that the case took down; null when there is none.
static const ProbeRun* process_of(const Facts& facts, const RnnRun& failed_run) {
    for (const ProbeRun* run : runs_of(facts, "rnn_forward"))
        if (ended_in(*run, failed_run)) return run;
    return nullptr;
}

/// Why that process hung, and what the libraries printed at its end.
static void add_process(const Facts& facts, const RnnRun& failed_run, Finding& finding) {
    const ProbeRun* run = process_of(facts, failed_run);
    if (!run) return;
    if (const std::string cause = cause_of_hang(facts, *run); !cause.empty()) finding.message += "; " + cause;
    const auto hang = evidence_of_hang(facts, *run);
    finding.evidence.insert(finding.evidence.end(), hang.begin(), hang.end());
    if (run->output_tail)
        finding.evidence.push_back({"its last output", *run->output_tail,
                                    "probe_runs[" + std::to_string(run - facts.probe_runs.data()) + "].output_tail"});
}

static Finding failed(const Facts& facts, const Sweep& sweep, const Runs& runs) {
    const RnnRun& first = *runs.front();
    Finding finding;
    finding.subject = subject_of(facts, sweep);
    finding.message = pluralized(runs.size(), "RNN case", "RNN cases") + " of " + std::to_string(sweep.runs.size()) +
                      " failed on " + name_of(facts, sweep) + ", first '" + describe(first.rnn_case) +
                      "': " + told(first.result);
    for (std::size_t i = 0; i < runs.size() && i < 5; ++i)
        finding.evidence.push_back(evidence_of(facts, *runs[i], told(runs[i]->result)));
    add_process(facts, first, finding);
    finding.remedies = {on_host(facts, {.text = "Fix the findings of lower layers first. Then check the kernel log for "
                                                "the driver's messages, and try another version of cuDNN",
                                        .commands = {"sudo dmesg | grep -i -E 'nvrm|xid'"},
                                        .risk = Risk::needs_root,
                                        .verify = verify_command(facts, first, "rnn_call_failed"),
                                        .link = "https://docs.nvidia.com/deploy/xid-errors/index.html"})};
    return finding;
}

static Verdict check(const Facts& facts, const Matrix&) {
    Answers answers;
    for (const auto& sweep : sweeps(facts)) {
        Runs unexplained;
        for (const RnnRun* run : runs_with(sweep, RunEnd::failed)) {
            if (run->result && run->result->text == hangs_in_kernel) {
                answers.told_elsewhere("its process hangs in the kernel");
                continue;
            }
            const auto cause =
                run->result ? explained_elsewhere(facts, run->gpu, run->library, *run->result) : std::nullopt;
            if (cause)
                answers.told_elsewhere(*cause);
            else
                unexplained.push_back(run);
        }
        if (!runs_with(sweep, RunEnd::out_of_memory).empty()) answers.told_elsewhere("the GPU ran out of memory");
        auto note = take_not_promised(facts, sweep, unexplained, "failed on");
        if (!unexplained.empty())
            answers.fault(failed(facts, sweep, unexplained));
        else if (note)
            answers.fault(std::move(*note));
    }
    return answers.close_or(pass_if_tried(facts, "no RNN call failed"));
}

extern const Rule rule{.title = "A cuDNN RNN call fails",
                       .layer = Layer::rnn,
                       .worst = Severity::error,
                       .needs = Stage::run,
                       .check = check};

}  // namespace rnncheck::rules::rnn_call_failed
