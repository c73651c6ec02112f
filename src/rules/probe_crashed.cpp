// A library took its process down, or something killed that process.
#include <algorithm>

#include "base/text.hpp"
#include "rules/rule.hpp"
#include "rules/support/probes.hpp"
#include "rules/support/remedies.hpp"
#include "rules/support/words.hpp"

namespace rnncheck::rules::probe_crashed {

static bool is_crash(const Facts&, const ProbeRun& run) {
    return run.end == ProbeEnd::crashed || run.end == ProbeEnd::crashed_at_exit || run.end == ProbeEnd::killed;
}

static std::string what_happened(const ProbeRun& run) {
    const std::string signal = run.signal ? " (" + escaped(*run.signal) + ")" : "";
    if (run.end == ProbeEnd::killed) return " was killed from outside" + in_last_call(run) + " (SIGKILL)";
    if (run.end == ProbeEnd::crashed_at_exit && !run.signal)
        return " did not leave its process after its last answer; what it told stands";
    if (run.end == ProbeEnd::crashed_at_exit)
        return " crashed while its process was ending" + signal + "; what it told stands";
    return " crashed" + in_last_call(run) + signal;
}

static std::vector<Remedy> remedies_for(const Facts& facts, const ProbeRun& run) {
    if (run.end == ProbeEnd::killed)
        return {on_host(facts, {.text = "The kernel usually does this when memory runs out, and its log says so: end "
                                        "other programs, or raise the memory limit of the container or the job",
                                .commands = {"free -m", "sudo dmesg | tail -n 50"},
                                .risk = Risk::needs_root,
                                .link = "https://docs.kernel.org/admin-guide/cgroup-v2.html#memory"})};
    return {{.text = "Repair the findings below this layer first. Then reinstall the library from a single source, and "
                     "check that its parts are of one version",
             .link = "https://docs.nvidia.com/deeplearning/cudnn/latest/reference/troubleshooting.html"},
            on_host(facts, {.text = "The kernel log names the library in which the process crashed, and the driver's "
                                    "messages at that time",
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
        finding.message += ": something preloaded into every program, or a bug in rnncheck";
    }
    finding.remedies = remedies_for(facts, run);
    return finding;
}

static Verdict check(const Facts& facts, const Matrix&) {
    return over_probe_ends(facts, is_crash, crashed, "no library crashed when asked");
}

extern const Rule rule{.title = "A GPU library crashed when it was asked",
                       .layer = Layer::host,
                       .max_severity = Severity::error,
                       .stage = Stage::look,
                       .check = check,
                       .yields_to = {"rnn_call_failed", "zlib_missing"}};

}  // namespace rnncheck::rules::probe_crashed
