// A call for a recurrent network failed, or its process died in it.
#include "rules/rule.hpp"
#include "rules/support/cases.hpp"
#include "rules/support/probes.hpp"

namespace rnncheck::rules::rnn_call_failed {

/// The processes that these cases terminated, of which each restart of the probe may end in another case: why they
/// hung, and what the libraries printed at their end.
static void add_processes(const Facts& facts, const Runs& runs, Finding& finding) {
    for (const ProbeRun* process : runs_of(facts, "rnn_forward")) {
        if (std::ranges::none_of(runs, [&](const RnnRun* run) { return ended_in(*process, *run); })) continue;
        const std::string place = place_of(facts, *process);
        finding.explains.push_back(place);
        if (const std::string cause = cause_of_hang(facts, *process); !contains(finding.message, cause))
            finding.message += "; " + cause;
        append(finding.evidence, evidence_of_hang(facts, *process));
        if (process->output_tail)
            finding.evidence.push_back({"its last output", *process->output_tail, place + ".output_tail"});
    }
}

static Finding failed(const Facts& facts, const Sweep& sweep, const Runs& runs) {
    const RnnRun& first = *runs.front();
    Finding finding;
    finding.subject = subject_of(facts, sweep);
    finding.symptoms = places_of(facts, runs);
    finding.message = pluralized(runs.size(), "RNN case", "RNN cases") + " of " + std::to_string(sweep.runs.size()) +
                      " failed on " + name_of(facts, sweep) + ", first '" + describe(first.rnn_case) +
                      "': " + in_words(first.result);
    add_cases(facts, runs, finding);
    finding.remedies = {on_host(facts, {.action = Action::investigate,
                                        .text = "Fix the findings of lower layers first. Then check the kernel log for "
                                                "the driver's messages, and try another version of cuDNN",
                                        .commands = {"sudo dmesg | grep -i -E 'nvrm|xid'"},
                                        .risk = Risk::needs_root,
                                        .verify = verify_command(facts, first),
                                        .link = "https://docs.nvidia.com/deploy/xid-errors/index.html"})};
    return finding;
}

static Verdict check(const Facts& facts, const Matrix&) {
    VerdictBuilder answers;
    for (const auto& sweep : sweeps(facts)) {
        const Runs runs = runs_with(sweep, RunEnd::failed);
        if (!runs_with(sweep, RunEnd::out_of_memory).empty()) answers.no_pass("the GPU ran out of memory");
        if (runs.empty()) continue;
        Finding finding = about_cases(facts, sweep, runs, "failed on", failed);
        add_processes(facts, runs, finding);
        answers.fault(std::move(finding));
    }
    return answers.close_or(pass_if_tried(facts, "no RNN call failed"));
}

extern const Rule rule{.title = "A cuDNN RNN call fails",
                       .layer = Layer::rnn,
                       .stage = Stage::run,
                       .check = check,
                       .yields_to = causes_of_failed_cases()};

}  // namespace rnncheck::rules::rnn_call_failed
