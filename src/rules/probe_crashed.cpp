// A library took its process down, or something killed that process.
#include "rules/rule.hpp"
#include "rules/support/probes.hpp"

namespace rnncheck::rules::probe_crashed {

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
    if (run.end == ProbeEnd::killed)
        return {on_host(facts, {.action = Action::free_resources,
                                .text = "The kernel usually kills a process when memory runs out, and logs it: stop "
                                        "other programs, or raise the memory limit of the container or job",
                                .commands = {"free -m", "sudo dmesg | tail -n 50"},
                                .risk = Risk::needs_root,
                                .link = "https://docs.kernel.org/admin-guide/cgroup-v2.html#memory"})};
    return {{.action = Action::reinstall_package,
             .text = "Fix the findings of lower layers first. Then reinstall the library from a single source, and "
                     "check that all of its files are of the same version",
             .link = "https://docs.nvidia.com/deeplearning/cudnn/latest/reference/troubleshooting.html"},
            on_host(facts, {.action = Action::investigate,
                            .text = "Check the kernel log for the library in which the process crashed and the "
                                    "driver's messages at that time",
                            .commands = {"sudo dmesg | tail -n 50"},
                            .risk = Risk::needs_root,
                            .link = "https://docs.nvidia.com/deploy/xid-errors/index.html"})};
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

static Verdict check(const Facts& facts, const Matrix&) {
    return over_probe_ends(facts, is_crash, crashed, "no library crashed");
}

extern const Rule rule{.title = "A GPU library crashed",
                       .layer = Layer::host,
                       .stage = Stage::look,
                       .check = check,
                       .yields_to = {"cudnn_part_missing", "cudnn_part_unreadable", "rnn_call_failed", "zlib_missing"}};

}  // namespace rnncheck::rules::probe_crashed
