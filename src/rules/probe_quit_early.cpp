// A library ended the process that asked it, whatever the exit code says.
#include "rules/rule.hpp"
#include "rules/support/probes.hpp"

namespace rnncheck::rules::probe_quit_early {

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
    finding.remedies = {{.action = Action::investigate,
                         .text = "Read the library's last output. Remove wrappers and preloaded libraries from the "
                                 "environment, then reinstall the library",
                         .commands = {"env | grep -E '^(LD_|CUDA_|CUDNN_)'"},
                         .link = "https://man7.org/linux/man-pages/man8/ld.so.8.html"}};
    return finding;
}

extern const Rule rule{.title = "A GPU library terminated the probe process",
                       .layer = Layer::host,
                       .stage = Stage::look,
                       .check =
                           [](const Facts& facts, const Matrix&) {
                               return over_probe_ends(facts, is_early, quit_early, "no library terminated its process");
                           },
                       .yields_to = {"rnn_call_failed"}};

}  // namespace rnncheck::rules::probe_quit_early
