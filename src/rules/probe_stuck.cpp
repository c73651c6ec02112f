// A process hangs inside the kernel: even SIGKILL does not end it.
#include "rules/rule.hpp"
#include "rules/support/probes.hpp"

namespace rnncheck::rules::probe_stuck {

static bool is_stuck(const Facts&, const ProbeRun& run) {
    return run.end == ProbeEnd::stuck;
}

static Finding stuck(const Facts& facts, const ProbeRun& run) {
    return {
        .message = examined(facts, run) + " hangs in the kernel" + in_last_call(run) + "; its process cannot be killed",
        .remedies = {
            on_host(facts, {.action = Action::restart_node,
                            .text = "Check the kernel log for the driver's last lines (NVRM, Xid), then reboot: only a "
                                    "reboot ends a process that hangs in the kernel",
                            .commands = {"sudo dmesg | grep -E 'NVRM|Xid|blocked for more than'", "sudo reboot"},
                            .risk = Risk::disruptive,
                            .verify = "nvidia-smi",
                            .link = "https://docs.nvidia.com/deploy/xid-errors/index.html"})}};
}

extern const Rule rule{.title = "A GPU library hangs in the kernel",
                       .layer = Layer::host,
                       .stage = Stage::look,
                       .check = [](const Facts& facts, const Matrix&) {
                           return over_probe_ends(facts, is_stuck, stuck, "no process hangs in the kernel");
                       }};

}  // namespace rnncheck::rules::probe_stuck
