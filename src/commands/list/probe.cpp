// The side of the wire inside a probe's process. By hand, one probe alone, for example in a
// debugger: `rnncheck probe cudnn_library /path/libcudnn.so.9`, with facts `... --facts-from 0
// <facts.json`.
#include <CLI/CLI.hpp>

#include "commands/command.hpp"
#include "commands/options.hpp"
#include "process/survey.hpp"

namespace rnncheck::commands::probe {

constexpr int most_descriptor = 1 << 20;  // the kernel's own limit, /proc/sys/fs/nr_open

/// The parent writes these options, so their texts are for a person with a debugger.
static std::function<int()> declare(CLI::App& app) {
    const auto call = std::make_shared<ProbeCall>();
    app.add_option("NAME", call->name, "the probe")->type_name("")->required();
    app.add_option("TARGET", call->target, "the target to examine")->type_name("");
    app.add_option("--root", call->root, "directory to look below instead of /")
        ->type_name("DIR")
        ->check(existing_directory());
    app.add_flag("--make-nodes", call->make_nodes, "let the driver create its device nodes");
    app.add_option(
           "--facts-from",
           call->facts_from,
           "descriptor from which to read the facts collected so far")
        ->type_name("N")
        ->transform(whole_number(0, most_descriptor));
    app.add_option(
           "--answer-to", call->answer_to, "descriptor to which to write, 1 for standard output")
        ->type_name("N")
        ->transform(whole_number(1, most_descriptor));
    return [call] { return run_probe_here(*call); };
}

extern const Command command{declare};

}  // namespace rnncheck::commands::probe
