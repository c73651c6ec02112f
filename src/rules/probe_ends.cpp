// How the processes ended that call the vendors' libraries.
#include <map>
#include <utility>

#include "base/if_any.hpp"
#include "rules/rule.hpp"
#include "rules/support/probes.hpp"

namespace rnncheck::rules {

namespace {

/// What each probe of a vendor's library examines.
constexpr std::pair<std::string_view, const char*> vendor_probes[] = {
    {"driver_api", "the NVIDIA driver library"},
    {"nvml_devices", "NVML"},
    {"hang_diagnostic", "NVML"},
    {"cuda_runtime", "the CUDA runtime"},
    {"cudnn_library", "cuDNN"},
    {"cudnn_rnn_first", "cuDNN"},
    {"nvrtc_compile", "NVRTC"},
    {"ptx_launch", "a test kernel on"},
    {"rnn_forward", "cuDNN"},
    {"rnn_fit", "cuDNN"},
    {"rnn_dropout", "cuDNN"}};

/// A failure in a probe that opens no vendor library is not a library's fault.
bool is_own_probe(const ProbeRun& run) {
    return std::ranges::none_of(vendor_probes,
                                [&](const auto& probe) { return probe.first == run.probe; });
}

/// "cuDNN /usr/lib/libcudnn.so.9", "the NVIDIA driver library /usr/lib/libcuda.so.1", "cuDNN
/// /usr/lib/libcudnn.so.9 on GPU 0", "rnncheck's own probe library_files".
std::string examined(const Facts& facts, const ProbeRun& run) {
    std::string what = "rnncheck's own probe " + run.probe, which = run.target, where;
    for (const auto& [probe, name] : vendor_probes)
        if (probe == run.probe)
            what = name;
    const Library* library =
        picked(facts, run.probe == "driver_api" ? LibraryKind::cuda : LibraryKind::nvml);
    if (run.probe == "driver_api" || what == "NVML")
        which = library ? library->path : "";
    if (run.probe == "driver_api" && facts.driver.library)
        which = *facts.driver.library;
    if (run.probe.starts_with("rnn_")) {  // "GPU 0 v8 /path"
        which = path_in_target(run);
        where = " on " + escaped(run.target.substr(0, run.target.find(' ', 4)));
    }
    return what + if_any(" ", escaped(which)) + where;
}

/// "cudnn_library /usr/lib/libcudnn.so.9": stable from run to run.
std::string subject_of(const ProbeRun& run) {
    if (run.target.empty())
        return run.probe;
    return run.probe + ' ' + run.target;
}

/// " in cudnnGetVersion", or nothing when the call is unknown.
std::string in_last_call(const ProbeRun& run) {
    if (!run.last_call)
        return "";
    return " in " + escaped(*run.last_call);
}

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

bool ended_in_a_case(const Facts& facts, const ProbeRun& run) {
    return std::ranges::any_of(facts.rnn_runs,
                               [&](const RnnRun& rnn_run) { return ended_in(run, rnn_run); });
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

Verdict without_findings(const Facts& facts, const std::string& all_well) {
    for (const auto& run : facts.probe_runs) {
        if (run.completed() || run.end == ProbeEnd::skipped)
            continue;
        if (ended_in_a_case(facts, run))
            return not_applicable("the affected case is reported as failed");
        if (run.end != ProbeEnd::not_started)
            return undecided(subject_of(run) + ' ' + ending_of(run));
        return undecided("rnncheck could not start its process for " + subject_of(run) +
                         if_any(": ", escaped(run.reason.value_or(""), 200)));
    }
    if (const auto lost = what_is_lost(facts))
        return undecided(*lost);
    const bool any =
        std::ranges::any_of(facts.probe_runs, [](const ProbeRun& run) { return run.completed(); });
    if (any)
        return pass(all_well);
    return undecided("no probe was run");
}

/// Judges all runs by how they ended: what `judge` finds of each (one finding per subject), a pass
/// only when every run came to its end.
Verdict over_probe_ends(const Facts& facts, const std::string& all_well,
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

/// "ulimit -v unlimited" raises it for the programs that the shell starts from then on.
static std::string option_of_ulimit(LimitKind kind) {
    switch (kind) {
        case LimitKind::address_space:
            return "-v unlimited";
        case LimitKind::data:
            return "-d unlimited";
        case LimitKind::stack:
            return "-s 8192";
        case LimitKind::processes:
            return "-u 4096";
        default:
            return "-n 1024";
    }
}

/// How the memory of this container or job is raised, in the words of what limits it.
static Remedy more_memory(const Facts& facts) {
    const std::string container = facts.host.container.value_or(""), job = batch_system(facts);
    if (container == "kubernetes")
        return remedy("resource_limit_too_low/kubernetes");
    if (container == "docker" || container == "podman")
        return remedy("resource_limit_too_low/container", {container});
    if (job == "Slurm")
        return remedy("resource_limit_too_low/slurm");
    return remedy("resource_limit_too_low/control_group");
}

static Remedy raising(const Facts& facts, LimitKind kind, const ResourceLimit* limit) {
    if (kind == LimitKind::memory)
        return more_memory(facts);
    if (kind == LimitKind::system_calls)
        return remedy("resource_limit_too_low/seccomp");
    if (limit && limit->place == "pids.max")
        return remedy("resource_limit_too_low/pids");
    return remedy("resource_limit_too_low/ulimit", {option_of_ulimit(kind)});
}

/// "limit on address space".
static std::string subject_of(LimitKind kind) {
    std::string what(name_of(kind));
    replace_all(what, "_", " ");
    return "limit on " + what;
}

using RunsOfProbes = std::vector<const ProbeRun*>;

/// The most memory that one of these processes had; empty where none was
/// measured.
static std::string peak_of(const RunsOfProbes& runs) {
    std::int64_t most = 0;
    for (const ProbeRun* run : runs)
        most = std::max(most, run->peak_memory_mib.value_or(0));
    if (most <= 0)
        return "";
    return std::to_string(most) + " MiB";
}

/// "its process ended with SIGKILL in cudnnCreate", or what a call returned.
static std::string how_it_failed(const ProbeRun& run) {
    if (run.end == ProbeEnd::not_started)
        return "its process could not be started";
    std::string used;
    if (run.peak_memory_mib && run.limit == LimitKind::memory)
        used = " when it had " + std::to_string(*run.peak_memory_mib) + " MiB";
    if (run.signal)
        return "its process ended with " + escaped(*run.signal) + in_last_call(run) + used;
    if (run.exit_code)
        return "its process exited with code " + std::to_string(*run.exit_code) + in_last_call(run);
    if (run.failed_calls.empty())
        return "it failed";
    return in_words(run.failed_calls.front());
}

static RunsOfProbes completed_runs(const Facts& facts) {
    RunsOfProbes completed;
    for (const ProbeRun& run : facts.probe_runs)
        if (run.completed())
            completed.push_back(&run);
    return completed;
}

/// The limit behind a run as the facts have it, else as the survey described it.
static std::string limit_in_words(const ProbeRun& run, const ResourceLimit* limit) {
    if (limit)
        return in_words(*limit);
    if (run.end == ProbeEnd::limited && run.reason)
        return escaped(*run.reason);
    ResourceLimit unknown;
    unknown.kind = *run.limit;
    return in_words(unknown);
}

/// About all that failed because of one limit.
static Finding beyond_limit(const Facts& facts, LimitKind kind, const RunsOfProbes& runs) {
    const ProbeRun& first = *runs.front();
    const std::string place = place_of(facts, first);
    const ResourceLimit* const limit = find_by(facts.host.limits, &ResourceLimit::kind, kind);
    const std::string which = limit_in_words(first, limit);
    const char* const verb =
        kind == LimitKind::system_calls ? " is too strict for " : " is too low for ";
    std::string others;
    if (runs.size() > 1)
        others =
            "; " + pluralized(runs.size() - 1, "other probe", "other probes") + " failed likewise";
    // A probe of our own may need more than the libraries that programs use.
    const bool is_of_vendor = std::ranges::any_of(runs, [](const ProbeRun* run) {
        return run->end == ProbeEnd::limited && !is_own_probe(*run);
    });
    return {.severity = error_if(is_of_vendor),
            .subject = subject_of(kind),
            .message = which + verb + examined(facts, first) + ": " + how_it_failed(first) +
                       others + "; whether what they examine works is unknown",
            .evidence = {{"limit", which, limit ? "host.limits" : place + ".reason"},
                         {"most memory of a process that failed", peak_of(runs),
                          place + ".peak_memory_mib"},
                         {"most memory of a process that finished", peak_of(completed_runs(facts)),
                          "probe_runs"},
                         {"last output", if_known(first.output_tail), place + ".output_tail"}},
            .remedies = {raising(facts, kind, limit)},
            .symptoms = mapped(runs, [&](const ProbeRun* run) { return place_of(facts, *run); })};
}

/// One that an allocation meets; that of a control group ends the process instead.
static const ResourceLimit* limit_on_memory(const Facts& facts) {
    return find_where(facts.host.limits, [](const ResourceLimit& one) {
        return one.kind == LimitKind::address_space || one.kind == LimitKind::data;
    });
}

/// Memory of the host was missing for the reference of a case, and this process may not have all of
/// the host's.
static std::optional<Finding> cases_beyond_limit(const Facts& facts) {
    const auto cases =
        std::ranges::count(facts.rnn_runs, SkipReason::host_memory, &RnnRun::skip_reason);
    const ResourceLimit* const limit = limit_on_memory(facts);
    if (cases == 0 || !limit)
        return std::nullopt;
    return Finding{.severity = Severity::warning,
                   .subject = subject_of(limit->kind),
                   .message = in_words(*limit) + " is too low for " +
                              pluralized(cases, "RNN case", "RNN cases") +
                              ", which could not be checked",
                   .evidence = {{"limit", in_words(*limit), "host.limits"}},
                   .remedies = {raising(facts, limit->kind, limit)}};
}

/// A process or a call failed because this process may use too little, which
/// shows nothing of what it examined. CUDA reserves a large address space for
/// unified memory, so that "ulimit -v" breaks it long before memory is used up.
Verdict resource_limit_too_low(const Facts& facts, const Matrix&) {
    std::map<LimitKind, RunsOfProbes> by_limit;
    for (const ProbeRun& run : facts.probe_runs)
        if (run.limit)
            by_limit[*run.limit].push_back(&run);
    std::vector<Finding> findings;
    for (const auto& [kind, runs] : by_limit)
        findings.push_back(beyond_limit(facts, kind, runs));
    if (auto finding = cases_beyond_limit(facts); finding && findings.empty())
        findings.push_back(std::move(*finding));
    const bool is_open =
        limit_on_memory(facts) && std::ranges::any_of(facts.rnn_runs, [](const RnnRun& run) {
            return run.end == RunEnd::skipped && !run.skip_reason;
        });
    if (is_open)
        return fault_or(std::move(findings), undecided("why an RNN case was not run is unknown"));
    return fault_or(std::move(findings),
                    without_findings(facts, "no probe reached a limit of its process"));
}

/// A library took its process down, or something killed that process. What
/// follows from a missing, mixed or damaged file is explained by that.
Verdict probe_crashed(const Facts& facts, const Matrix&) {
    return over_probe_ends(
        facts, "no library crashed", [&](const ProbeRun& run) -> std::optional<Finding> {
            const bool killed = run.end == ProbeEnd::killed,
                       at_exit = run.end == ProbeEnd::crashed_at_exit;
            if (run.end != ProbeEnd::crashed && !at_exit && !killed)
                return std::nullopt;
            Finding finding = {.severity = at_exit ? Severity::note : Severity::error,
                               .message = examined(facts, run) + what_happened(run)};
            if (is_own_probe(run)) {
                finding.severity = std::max(finding.severity, Severity::warning);
                finding.message += own_causes;
            }
            finding.remedies = killed ? std::vector{on_host(facts, remedy("probe_crashed/killed"))}
                                      : std::vector{remedy("probe_crashed/reinstall"),
                                                    on_host(facts, remedy("probe_crashed/log"))};
            return finding;
        });
}

/// A library terminated the process that called it, whatever the exit code is.
Verdict probe_quit_early(const Facts& facts, const Matrix&) {
    return over_probe_ends(
        facts, "no library terminated its process",
        [&](const ProbeRun& run) -> std::optional<Finding> {
            if (run.end != ProbeEnd::quit_early)
                return std::nullopt;
            const bool own = is_own_probe(run);
            const std::string code = if_any(" with exit code ", run.exit_code);
            return Finding{
                .severity = error_if(!own),
                .message = examined(facts, run) +
                           (own ? " ended" + code + " before it was finished" + own_causes
                                : " terminated the process" + in_last_call(run) + code +
                                      " before it returned a result"),
                .remedies = {remedy(on_windows(facts) ? "probe_quit_early/windows"
                                                      : "probe_quit_early/preloaded")}};
        });
}

/// A process hangs inside the kernel: even SIGKILL does not end it. The driver
/// or the hardware does not respond; of a probe of our own, a file system.
Verdict probe_stuck(const Facts& facts, const Matrix&) {
    return over_probe_ends(
        facts, "no process hangs in the kernel",
        [&](const ProbeRun& run) -> std::optional<Finding> {
            if (run.end != ProbeEnd::stuck)
                return std::nullopt;
            std::optional<std::string> file;
            if (run.hang)
                file = run.hang->file;
            if (file && is_own_probe(run))
                return Finding{.message = "the file system of " + escaped(*file) +
                                          " does not respond: " + examined(facts, run) +
                                          " hangs there, and its process cannot be killed",
                               .remedies = {on_host(facts, remedy("probe_stuck/file", {*file}))}};
            return Finding{.message = examined(facts, run) + " hangs in the kernel" +
                                      in_last_call(run) + "; its process cannot be killed",
                           .remedies = {on_host(facts, remedy("probe_stuck/reboot"))}};
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
    return Finding{.severity = Severity::warning,
                   .message = what + " had not responded when rnncheck's own probe " + run.probe +
                              " was ended, so what it would have found is unknown",
                   .remedies = {remedy("probe_timed_out/file", {*run.hang->file})}};
}

/// A call that used its own time up is an error. One that only the deadline of
/// the whole check ended is a warning: it may just have started late.
static std::optional<Finding> timed_out(const Facts& facts, const ProbeRun& run,
                                        CutOffs& cut_offs) {
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
            .remedies = {remedy("probe_timed_out/cut_off")}};
    }
    const std::string cause = cause_of_hang(facts, run);
    return Finding{
        .message = examined(facts, run) + " did not respond" + in_last_call(run) +
                   (run.reason ? ": " + escaped(*run.reason) : " within the time limit") +
                   if_any("; ", cause),
        .remedies = {on_host(facts, remedy(on_windows(facts) ? "probe_timed_out/windows"
                                                             : "probe_timed_out/hangs"))}};
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
        over_probe_ends(facts, "every call returned in time",
                        [&](const ProbeRun& run) { return timed_out(facts, run, cut_offs); });
    merge_deadline_findings(verdict.findings, cut_offs);
    return verdict;
}

}  // namespace rnncheck::rules
