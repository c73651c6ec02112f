// A call did not come back within the limit.
#include "base/text.hpp"
#include "rules/rule.hpp"
#include "rules/support/probe_support.hpp"

namespace rnncheck::rules {

static bool is_timeout(ProbeEnd end) {
    return end == ProbeEnd::timed_out;
}

static Finding timed_out(const Facts& facts, const ProbeRun& run) {
    Finding finding;
    // A deadline of the user's may be short: what it cut off is not known to hang.
    if (run.reason && contains(*run.reason, "deadline")) finding.severity = Severity::warning;
    finding.message = examined(facts, run) + " did not answer" + in_last_call(run) +
                      (run.reason ? ": " + escaped(*run.reason) : " within the time limit");
    finding.remedies = {
        {.text = "See whether the GPU is busy or hangs, and ask again. On a GPU newer than the library the first call "
                 "compiles "
                 "code, which may take minutes once; a dead network folder in LD_LIBRARY_PATH also makes calls hang",
         .commands = {"nvidia-smi", "sudo dmesg | grep -i xid"},
         .verify = "rnncheck doctor --only probe_timed_out",
         .link = "https://docs.nvidia.com/deploy/xid-errors/index.html"}};
    return finding;
}

static Verdict check(const Facts& facts, const Matrix&) {
    return over_probe_ends(facts, is_timeout, timed_out, "every call came back in time");
}

extern const Rule probe_timed_out{.title = "A GPU library did not answer in time",
                                  .layer = Layer::host,
                                  .worst = Severity::error,
                                  .needs = Stage::look,
                                  .check = check};

}  // namespace rnncheck::rules
