// How the processes ended that call the vendors' libraries.
#include <map>
#include <utility>

#include "base/if_any.hpp"
#include "rules/rule.hpp"
#include "rules/support/probes.hpp"

namespace rnncheck::rules {

namespace {

/// How it ended, the last call and the end of its output.
std::vector<Evidence> evidence_of(const Facts& facts, const ProbeRun& run) {
    const std::string place = place_of(facts, run);
    std::vector<Evidence> evidence = {
        {"process status", std::string(name_of(run.end)), place + ".end"},
        {"last call", if_known(run.last_call), place + ".last_call"},
        {"reason", if_known(run.reason), place + ".reason"}};
    if (run.reason || run.hang)
        append(evidence, evidence_of_hang(facts, run));
    evidence.push_back({"its last output", if_known(run.output_tail), place + ".output_tail"});
    return evidence;
}

/// What could not end well because the process of this run did not.
std::vector<std::string> ended_by(const Facts& facts, const ProbeRun& run) {
    if (const auto gpu = gpu_of_target(run.target);
        gpu && run.probe == "ptx_launch" && was_cut_short(run))
        return places_on(facts, *gpu);
    std::vector<std::string> places;
    // A stuck process is reported as such: its case follows from it.
    for (const RnnRun& rnn_run : facts.rnn_runs)
        if (run.end == ProbeEnd::stuck && is_last_case(run, rnn_run))
            places.push_back(place_of(facts, rnn_run));
    return places;
}

/// Judges all runs by how they ended: what `judge` finds of each (one finding per subject), a pass
/// only when every run came to its end.
Verdict over_probe_ends(
    const Facts& facts,
    const std::string& all_well,
    const std::function<std::optional<Finding>(const ProbeRun&)>& judge) {
    std::vector<Finding> findings;
    // A case explains the runs that ended in it: joined with others of the subject they would be
    // reported twice.
    for (const bool in_a_case : {true, false}) {
        const std::size_t joined = findings.size();
        for (const auto& run : facts.probe_runs) {
            if (ended_in_a_case(facts, run) != in_a_case)
                continue;
            auto finding = judge(run);
            if (!finding)
                continue;
            Finding* about =
                find_by(std::span(findings).subspan(joined), &Finding::subject, subject_of(run));
            if (!about) {
                about = &findings.emplace_back(std::move(*finding));
                about->subject = subject_of(run);
                about->gpu = gpu_of_target(run.target);
                about->evidence = evidence_of(facts, run);
            }
            about->symptoms.push_back(place_of(facts, run));
            append(about->explains, ended_by(facts, run));
        }
    }
    return fault_or(std::move(findings), without_findings(facts, all_well));
}

/// Continues "cuDNN /usr/lib/libcudnn.so.9".
std::string what_happened(const ProbeRun& run) {
    const std::string signal = if_any(" (", escaped(run.signal.value_or("")), ")");
    if (run.end == ProbeEnd::killed)
        return " was killed by another process" + in_last_call(run) + " (SIGKILL)";
    if (run.end == ProbeEnd::crashed_at_exit && !run.signal)
        return " did not exit after its last result; its results are valid";
    if (run.end == ProbeEnd::crashed_at_exit)
        return " crashed while its process was exiting" + signal + "; its results are valid";
    return " crashed" + in_last_call(run) + signal;
}

constexpr const char* own_causes =
    "; the cause is a library preloaded into every program or a bug in rnncheck";

}  // namespace

/// A library took its process down, or something killed that process. What
/// follows from a missing, mixed or damaged file is explained by that.
Verdict probe_crashed(const Facts& facts, const Matrix&) {
    return over_probe_ends(
        facts, "no library crashed", [&](const ProbeRun& run) -> std::optional<Finding> {
            const bool killed = run.end == ProbeEnd::killed,
                       at_exit = run.end == ProbeEnd::crashed_at_exit;
            if (run.end != ProbeEnd::crashed && !at_exit && !killed)
                return std::nullopt;
            Finding finding = {.message = examined(facts, run) + what_happened(run)};
            if (at_exit)
                finding.severity = Severity::note;
            if (is_own_probe(run)) {
                finding.severity = std::max(finding.severity, Severity::warning);
                finding.message += own_causes;
            }
            finding.remedies = {
                remedy("probe_crashed/reinstall"), on_host(facts, remedy("probe_crashed/log"))};
            if (killed)
                finding.remedies = {on_host(facts, remedy("probe_crashed/killed"))};
            return finding;
        });
}

/// A library terminated the process that called it, whatever the exit code is.
Verdict probe_quit_early(const Facts& facts, const Matrix&) {
    return over_probe_ends(
        facts,
        "no library terminated its process",
        [&](const ProbeRun& run) -> std::optional<Finding> {
            if (run.end != ProbeEnd::quit_early)
                return std::nullopt;
            const bool own = is_own_probe(run);
            const std::string code = if_any(" with exit code ", run.exit_code);
            std::string what = " terminated the process" + in_last_call(run) + code +
                               " before it returned a result";
            if (own)
                what = " ended" + code + " before it was finished" + own_causes;
            std::string fix = "probe_quit_early/preloaded";
            if (on_windows(facts))
                fix = "probe_quit_early/windows";
            return Finding{
                .severity = error_if(!own),
                .message = examined(facts, run) + what,
                .remedies = {remedy(fix)},
            };
        });
}

/// A process hangs inside the kernel: even SIGKILL does not end it. The driver
/// or the hardware does not respond; of a probe of our own, a file system.
Verdict probe_stuck(const Facts& facts, const Matrix&) {
    return over_probe_ends(
        facts,
        "no process hangs in the kernel",
        [&](const ProbeRun& run) -> std::optional<Finding> {
            if (run.end != ProbeEnd::stuck)
                return std::nullopt;
            std::optional<std::string> file;
            if (run.hang)
                file = run.hang->file;
            if (file && is_own_probe(run))
                return Finding{
                    .message = "the file system of " + escaped(*file) +
                               " does not respond: " + examined(facts, run) +
                               " hangs there, and its process cannot be killed",
                    .remedies = {on_host(facts, remedy("probe_stuck/file", {*file}))},
                };
            return Finding{
                .message = examined(facts, run) + " hangs in the kernel" + in_last_call(run) +
                           "; its process cannot be killed",
                .remedies = {on_host(facts, remedy("probe_stuck/reboot"))},
            };
        });
}

/// What the deadline or a file system ended, by the subject of its finding: what had not responded,
/// and in which call.
struct CutOff {
    std::string what;  ///< "cuDNN /usr/lib/libcudnn.so.9 on GPU 0"
    std::string call;  ///< probe and call; empty of a file system
};
using CutOffs = std::map<std::string, CutOff>;

/// A probe of our own waits for a file system, which shows no problem of the GPU libraries.
static std::optional<Finding> waited_for_file(const ProbeRun& run, CutOffs& cut_offs) {
    const bool was_ended = run.end == ProbeEnd::timed_out || run.end == ProbeEnd::cut_off;
    if (!was_ended || !is_own_probe(run) || !run.hang || !run.hang->file)
        return std::nullopt;
    const std::string what = "the file system of " + escaped(*run.hang->file);
    cut_offs.try_emplace(subject_of(run), what, "");
    return Finding{
        .severity = Severity::warning,
        .message = what + " had not responded when rnncheck's own probe " + run.probe +
                   " was ended, so what it would have found is unknown",
        .remedies = {remedy("probe_timed_out/file", {*run.hang->file})},
    };
}

/// A call that used its own time up is an error. One that only the deadline of
/// the whole check ended is a warning: it may just have started late.
static std::optional<Finding> timed_out(
    const Facts& facts, const ProbeRun& run, CutOffs& cut_offs) {
    if (auto finding = waited_for_file(run, cut_offs))
        return finding;
    // A probe that calls no vendor library waits for a disk or a processor, which shows no problem
    // of the machine. Nor does it if the deadline ends the probe that starts late by design, while
    // another one hangs.
    const bool was_under_way =
        (run.elapsed_ms > 0 || run.last_call) && run.probe != "hang_diagnostic";
    const bool cut_off = run.end == ProbeEnd::cut_off && was_under_way;
    if (is_own_probe(run) || (run.end != ProbeEnd::timed_out && !cut_off))
        return std::nullopt;
    if (cut_off) {  // whether it would have come to its end is unknown
        const std::string what = examined(facts, run);
        cut_offs.try_emplace(subject_of(run), what, run.probe + ' ' + run.last_call.value_or(""));
        return Finding{
            .severity = Severity::warning,
            .message = what + " had not responded" + in_last_call(run) +
                       " when the time limit of the check was reached; whether it hangs is unknown",
            .remedies = {remedy("probe_timed_out/cut_off")},
        };
    }
    std::string reason = " within the time limit", fix = "probe_timed_out/hangs";
    if (run.reason)
        reason = ": " + escaped(*run.reason);
    if (on_windows(facts))
        fix = "probe_timed_out/windows";
    return Finding{
        .message = examined(facts, run) + " did not respond" + in_last_call(run) + reason +
                   if_any("; ", cause_of_hang(facts, run)),
        .remedies = {on_host(facts, remedy(fix))},
    };
}

/// What the deadline ended in the same call of the same probe, on several GPUs, is one finding.
static void merge_deadline_findings(std::vector<Finding>& findings, const CutOffs& cut_offs) {
    std::map<std::string, std::vector<Finding>> by_call;
    for (Finding& finding : findings)
        if (finding.severity == Severity::warning)
            by_call[cut_offs.at(finding.subject).call].push_back(std::exchange(finding, {}));
    std::erase_if(findings, [](const Finding& finding) { return finding.subject.empty(); });
    for (auto& [call, alike] : by_call) {
        Finding joined = std::move(alike.front());
        alike.erase(alike.begin());
        const auto what = [&](const Finding& other) { return cut_offs.at(other.subject).what; };
        if (!alike.empty())
            joined.message += "; the same for " + join_with_and(mapped(alike, what));
        for (const Finding& other : alike)
            append(joined.symptoms, other.symptoms);
        findings.push_back(std::move(joined));
    }
}

/// A library did not return from a call in time.
Verdict probe_timed_out(const Facts& facts, const Matrix&) {
    CutOffs cut_offs;
    Verdict verdict =
        over_probe_ends(facts, "every call returned in time", [&](const ProbeRun& run) {
            return timed_out(facts, run, cut_offs);
        });
    merge_deadline_findings(verdict.findings, cut_offs);
    return verdict;
}

}  // namespace rnncheck::rules
