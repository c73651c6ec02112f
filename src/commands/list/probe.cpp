// The side of the wire inside a probe's process. By hand, one probe alone, for example in a
// debugger: `rnncheck probe cudnn_library /path/libcudnn.so.9`, with facts `... --facts-from 0
// <facts.json`.
#include "commands/command.hpp"
#include "commands/options.hpp"
#include "process/survey.hpp"

namespace rnncheck::commands::probe {

static int run(ProbeCall& call, const CLI::App&) {
    return run_probe_here(call);
}

extern const Command command{declared<ProbeCall, run>};

}  // namespace rnncheck::commands::probe
