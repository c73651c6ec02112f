// The program started by the survey: one probe on one target in this process. By hand, for a developer with a
// debugger: `rnncheck probe cudnn_library /path/libcudnn.so.9`, with facts `... --facts-from 0 <facts.json`.
#include "commands/command.hpp"
#include "process/survey.hpp"

namespace rnncheck::commands::probe {

namespace {

std::function<int()> declare(CLI::App& app) {
    const auto options = std::make_shared<ProbeCall>();
    app.add_option("name", options->name, "the probe")->required();
    app.add_option("target", options->target, "what it is to look at");
    app.add_option("--root", options->root, "directory to look below instead of /");
    app.add_flag("--make-nodes", options->make_nodes, "let the driver make its device nodes");
    app.add_option("--facts-from", options->facts_from, "descriptor that gives the facts so far");
    app.add_option("--answer-to", options->answer_to, "descriptor that takes the answers, 1 for standard output");
    return [options] { return run_probe_here(*options); };
}

}  // namespace

extern const Command command{declare};

}  // namespace rnncheck::commands::probe
