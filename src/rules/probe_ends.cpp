// How the processes ended that call the vendors' libraries.
#include <map>
#include <utility>

#include "rules/rule.hpp"
#include "rules/support/probes.hpp"

namespace rnncheck::rules {

static bool is_crash(const Facts&, const ProbeRun& run) {
    return run.end == ProbeEnd::crashed || run.end == ProbeEnd::crashed_at_exit || run.end == ProbeEnd::killed;
}

static std::string what_happened(const ProbeRun& run) {
    const std::string signal = run.signal ? " (" + escaped(*run.signal) + ")" : "";
    if (run.end == ProbeEnd::killed) return " was killed by another process" + in_last_call(run) + " (SIGKILL)";
    if (run.end == ProbeEnd::crashed_at_exit && !run.signal)
        return " did not exit after its last result; its results are valid";
    if (run.end == ProbeEnd::crashed_at_exit)
        return " crashed while its process was exiting" + signal + "; its results are valid";
    return " crashed" + in_last_call(run) + signal;
}

static std::vector<Remedy> remedies_for(const Facts& facts, const ProbeRun& run) {
    if (run.end == ProbeEnd::killed) return {on_host(facts, remedy("probe_crashed/killed"))};
    return {remedy("probe_crashed/reinstall"), on_host(facts, remedy("probe_crashed/log"))};
}

static Finding crashed(const Facts& facts, const ProbeRun& run) {
    Finding finding;
    finding.severity = run.end == ProbeEnd::crashed_at_exit ? Severity::note : Severity::error;
    finding.message = examined(facts, run) + what_happened(run);
    if (is_own_probe(facts, run)) {
        finding.severity = std::max(finding.severity, Severity::warning);
        finding.message += "; the cause is a library preloaded into every program or a bug in rnncheck";
    }
    finding.remedies = remedies_for(facts, run);
    return finding;
}

/// A library took its process down, or something killed that process.
Verdict probe_crashed(const Facts& facts, const Matrix&) {
    return over_probe_ends(facts, is_crash, crashed, "no library crashed");
}

static bool is_early(const Facts&, const ProbeRun& run) {
    return run.end == ProbeEnd::quit_early;
}

static Finding quit_early(const Facts& facts, const ProbeRun& run) {
    Finding finding;
    const std::string code = run.exit_code ? " with exit code " + std::to_string(*run.exit_code) : "";
    finding.message =
        examined(facts, run) + " terminated the process" + in_last_call(run) + code + " before it returned a result";
    if (is_own_probe(facts, run)) {
        finding.severity = Severity::warning;
        finding.message =
            examined(facts, run) + " ended" + code +
            " before it was finished; the cause is a library preloaded into every program or a bug in rnncheck";
    }
    finding.remedies = {remedy("probe_quit_early")};
    return finding;
}

static bool is_stuck(const Facts&, const ProbeRun& run) {
    return run.end == ProbeEnd::stuck;
}

static Finding stuck(const Facts& facts, const ProbeRun& run) {
    return {
        .message = examined(facts, run) + " hangs in the kernel" + in_last_call(run) + "; its process cannot be killed",
        .remedies = {on_host(facts, remedy("probe_stuck"))}};
}

/// A probe of ours that calls no vendor waits for a disk or for processor time: that says nothing about the machine.
/// Nor does it if the deadline ends the probe that starts late by design, while another one hangs.
static bool is_timeout(const Facts& facts, const ProbeRun& run) {
    const bool was_under_way = (run.elapsed_ms > 0 || run.last_call) && run.probe != "hang_witness";
    return !is_own_probe(facts, run) &&
           (run.end == ProbeEnd::timed_out || (run.end == ProbeEnd::cut_off && was_under_way));
}

/// Whether what the deadline ended would have come to its end is unknown.
static Finding cut_off(const Facts& facts, const ProbeRun& run) {
    return {.severity = Severity::warning,
            .message = examined(facts, run) + " had not responded" + in_last_call(run) +
                       " when the time limit of the check was reached; whether it hangs is unknown",
            .remedies = {remedy("probe_timed_out/cut_off")}};
}

static Finding timed_out(const Facts& facts, const ProbeRun& run) {
    if (run.end == ProbeEnd::cut_off) return cut_off(facts, run);
    const std::string cause = cause_of_hang(facts, run);
    return {.message = examined(facts, run) + " did not respond" + in_last_call(run) +
                       (run.reason ? ": " + escaped(*run.reason) : " within the time limit") +
                       (cause.empty() ? "" : "; " + cause),
            .remedies = {on_host(facts, remedy("probe_timed_out/hangs"))}};
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
            joined.message += "; the same for " + join_with_and(each(alike, [](const Finding& other) {
                                  return other.message.substr(0, other.message.find(" had not responded"));
                              }));
        for (const Finding& other : alike) append(joined.symptoms, other.symptoms);
        findings.push_back(std::move(joined));
    }
}

/// A call did not come back within the limit.
Verdict probe_timed_out(const Facts& facts, const Matrix&) {
    Verdict verdict = over_probe_ends(facts, is_timeout, timed_out, "every call returned in time");
    join_cut_offs(verdict.findings);
    return verdict;
}

/// A library ended the process that asked it, whatever the exit code says.
Verdict probe_quit_early(const Facts& facts, const Matrix&) {
    return over_probe_ends(facts, is_early, quit_early, "no library terminated its process");
}

/// A process hangs inside the kernel: even SIGKILL does not end it.
Verdict probe_stuck(const Facts& facts, const Matrix&) {
    return over_probe_ends(facts, is_stuck, stuck, "no process hangs in the kernel");
}

}  // namespace rnncheck::rules
