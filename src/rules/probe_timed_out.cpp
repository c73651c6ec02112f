// A call did not come back within the limit.
#include <map>
#include <utility>

#include "rules/rule.hpp"
#include "rules/support/probes.hpp"

namespace rnncheck::rules::probe_timed_out {

/// A probe of ours that calls no vendor waits for a disk or for processor time: that says nothing about the machine.
/// Nor does it if the deadline ends the probe that starts late by design, while another one hangs.
static bool is_timeout(const Facts& facts, const ProbeRun& run) {
    const bool was_under_way = (run.elapsed_ms > 0 || run.last_call) && run.probe != "hang_witness";
    return !is_own_probe(facts, run) &&
           (run.end == ProbeEnd::timed_out || (run.end == ProbeEnd::cut_off && was_under_way));
}

/// Whether what the deadline ended would have come to its end is unknown.
static Finding cut_off(const Facts& facts, const ProbeRun& run) {
    return {
        .severity = Severity::warning,
        .message = examined(facts, run) + " had not responded" + in_last_call(run) +
                   " when the time limit of the check was reached; whether it hangs is unknown",
        .remedies = {
            {.action = Action::investigate,
             .text =
                 "Allow more time for the check. On a GPU newer than the library, the first call compiles code, which "
                 "may take minutes; on nodes with many GPUs, the driver initializes slowly if persistence mode is off",
             .commands = {"rnncheck doctor --deadline 600"},
             .verify = "rnncheck doctor --deadline 600 --only probe_timed_out",
             .link = "https://docs.nvidia.com/deploy/driver-persistence/index.html"}}};
}

static Finding timed_out(const Facts& facts, const ProbeRun& run) {
    if (run.end == ProbeEnd::cut_off) return cut_off(facts, run);
    const std::string cause = cause_of_hang(facts, run);
    return {.message = examined(facts, run) + " did not respond" + in_last_call(run) +
                       (run.reason ? ": " + escaped(*run.reason) : " within the time limit") +
                       (cause.empty() ? "" : "; " + cause),
            .remedies = {on_host(
                facts, {.action = Action::investigate,
                        .text = "Check the kernel log for the driver's messages and list the processes on the GPU. If "
                                "the driver hangs, reboot; if the GPU is busy, wait for its processes or use another "
                                "GPU. An unresponsive network file system in LD_LIBRARY_PATH also makes calls hang",
                        .commands = {"nvidia-smi", "sudo dmesg | grep -i xid"},
                        .link = "https://docs.nvidia.com/deploy/xid-errors/index.html"})}};
}

static std::string last_call_of(const Finding& finding) {
    const auto call = std::ranges::find(finding.evidence, "last call", &Evidence::what);
    return call == finding.evidence.end() ? "" : call->value;
}

/// What the deadline ended in the same call of the same probe, on several GPUs, is one finding.
static void join_cut_offs(std::vector<Finding>& findings) {
    std::map<std::string, std::vector<Finding> > by_call;
    for (Finding& finding : findings)
        if (finding.severity == Severity::warning)
            by_call[finding.subject.substr(0, finding.subject.find(' ')) + ' ' + last_call_of(finding)].push_back(
                std::exchange(finding, {}));
    std::erase_if(findings, [](const Finding& finding) { return finding.subject.empty(); });
    for (auto& [call, alike] : by_call) {
        Finding joined = std::move(alike.front());
        alike.erase(alike.begin());
        if (!alike.empty())
            joined.message +=
                "; the same for " + join_with_and(each(alike, [](const Finding& other) { return other.subject; }));
        for (const Finding& other : alike) append(joined.symptoms, other.symptoms);
        findings.push_back(std::move(joined));
    }
}

static Verdict check(const Facts& facts, const Matrix&) {
    Verdict verdict = over_probe_ends(facts, is_timeout, timed_out, "every call returned in time");
    join_cut_offs(verdict.findings);
    return verdict;
}

extern const Rule rule{.title = "A GPU library did not respond in time",
                       .layer = Layer::host,
                       .stage = Stage::look,
                       .check = check,
                       .yields_to = {"rnn_call_failed"}};

}  // namespace rnncheck::rules::probe_timed_out
