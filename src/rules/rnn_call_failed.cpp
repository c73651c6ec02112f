// A call for a recurrent network failed, or its process died in it.
#include <algorithm>

#include "base/text.hpp"
#include "rnn/sweep.hpp"
#include "rules/rule.hpp"
#include "rules/support/cases.hpp"
#include "rules/support/probes.hpp"
#include "rules/support/remedies.hpp"
#include "rules/support/words.hpp"

namespace rnncheck::rules::rnn_call_failed {

/// The process that the case took down; null when there is none.
static const ProbeRun* process_of(const Facts& facts, const RnnRun& failed_run) {
    for (const ProbeRun* run : runs_of(facts, "rnn_forward"))
        if (ended_in(*run, failed_run)) return run;
    return nullptr;
}

/// The processes that these cases took down; each restart of the probe may end in another case.
static std::vector<std::string> processes_of(const Facts& facts, const Runs& runs) {
    std::vector<std::string> places;
    for (const ProbeRun* process : runs_of(facts, "rnn_forward"))
        if (std::ranges::any_of(runs, [&](const RnnRun* run) { return ended_in(*process, *run); }))
            places.push_back(place_of(facts, *process));
    return places;
}

/// Why that process hung, and what the libraries printed at its end.
static void add_process(const Facts& facts, const RnnRun& failed_run, Finding& finding) {
    const ProbeRun* run = process_of(facts, failed_run);
    if (!run) return;
    if (const std::string cause = cause_of_hang(facts, *run); !cause.empty()) finding.message += "; " + cause;
    const auto hang = evidence_of_hang(facts, *run);
    finding.evidence.insert(finding.evidence.end(), hang.begin(), hang.end());
    if (run->output_tail)
        finding.evidence.push_back({"its last output", *run->output_tail, place_of(facts, *run) + ".output_tail"});
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
    add_process(facts, first, finding);
    finding.remedies = {on_host(facts, {.text = "Fix the findings of lower layers first. Then check the kernel log for "
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
        Runs runs = runs_with(sweep, RunEnd::failed);
        if (!runs_with(sweep, RunEnd::out_of_memory).empty()) answers.no_pass("the GPU ran out of memory");
        auto processes = processes_of(facts, runs);
        auto finding = take_not_promised(facts, sweep, runs, "failed on");
        if (!runs.empty()) finding = failed(facts, sweep, runs);
        if (!finding) continue;
        finding->explains = std::move(processes);
        answers.fault(std::move(*finding));
    }
    return answers.close_or(pass_if_tried(facts, "no RNN call failed"));
}

extern const Rule rule{.title = "A cuDNN RNN call fails",
                       .layer = Layer::rnn,
                       .max_severity = Severity::error,
                       .stage = Stage::run,
                       .check = check,
                       .yields_to = causes_of_failed_cases()};

}  // namespace rnncheck::rules::rnn_call_failed
