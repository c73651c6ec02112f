// The program started by the survey: one probe on one target in this process. By hand, for a developer with a
// debugger: `rnncheck probe cudnn_library /path/libcudnn.so.9`.
#include "commands/command.hpp"
#include "survey.hpp"

namespace rnncheck::commands {

namespace {

struct Options {
    std::string name, target, root;
    int first_step = 0;
};

std::function<int()> declare(CLI::App& app) {
    const auto options = std::make_shared<Options>();
    app.add_option("name", options->name, "the probe")->required();
    app.add_option("target", options->target, "what it is to look at");
    app.add_option("--root", options->root, "folder to look below instead of /");
    app.add_option("--first-step", options->first_step, "step to begin with");
    return [options] { return run_probe_here(options->name, options->target, options->root, options->first_step); };
}

}  // namespace

extern const Command probe{.title = "Runs one probe in this process", .hidden = true, .declare = declare};

}  // namespace rnncheck::commands
