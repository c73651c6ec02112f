// What a process may use too little of: memory, address space, processes, files, system calls.
#include <map>

#include "base/if_any.hpp"
#include "rules/rule.hpp"
#include "rules/support/probes.hpp"

namespace rnncheck::rules {

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
    std::string verb = " is too low for ", source = place + ".reason", others;
    if (kind == LimitKind::system_calls)
        verb = " is too strict for ";
    if (limit)
        source = "host.limits";
    if (runs.size() > 1)
        others =
            "; " + pluralized(runs.size() - 1, "other probe", "other probes") + " failed likewise";
    // A probe of our own may need more than the libraries that programs use.
    const bool is_of_vendor = std::ranges::any_of(runs, [](const ProbeRun* run) {
        return run->end == ProbeEnd::limited && !is_own_probe(*run);
    });
    return {
        .severity = error_if(is_of_vendor),
        .subject = subject_of(kind),
        .message = which + verb + examined(facts, first) + ": " + how_it_failed(first) + others +
                   "; whether what they examine works is unknown",
        .evidence =
            {{"limit", which, source},
             {"most memory of a process that failed", peak_of(runs), place + ".peak_memory_mib"},
             {"most memory of a process that finished",
              peak_of(completed_runs(facts)),
              "probe_runs"},
             {"last output", if_known(first.output_tail), place + ".output_tail"}},
        .remedies = {raising(facts, kind, limit)},
        .symptoms = mapped(runs, [&](const ProbeRun* run) { return place_of(facts, *run); }),
    };
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
    return Finding{
        .severity = Severity::warning,
        .subject = subject_of(limit->kind),
        .message = in_words(*limit) + " is too low for " +
                   pluralized(cases, "RNN case", "RNN cases") + ", which could not be checked",
        .evidence = {{"limit", in_words(*limit), "host.limits"}},
        .remedies = {raising(facts, limit->kind, limit)},
    };
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
    return fault_or(
        std::move(findings), without_findings(facts, "no probe reached a limit of its process"));
}

}  // namespace rnncheck::rules
