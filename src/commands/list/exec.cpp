// Checks this machine in the very environment that a command will have, then becomes that command.
#include <CLI/CLI.hpp>
#include <cerrno>

#include "base/program.hpp"
#include "commands/command.hpp"
#include "commands/command_line.hpp"
#include "commands/doctor_options.hpp"
#include "commands/preflight.hpp"
#include "commands/programs.hpp"
#include "process/apart.hpp"
#include "process/this_process.hpp"

namespace rnncheck::commands::exec {

static int run(DoctorOptions& options, const CLI::App& app) {
    const Arguments& command = command_after_dashes();
    if (command.empty())
        throw UsageError(
            "'rnncheck exec' needs a command after --, e.g. rnncheck exec -- python train.py");
    // The Python of the command, not the one that is active here, is what will run.
    if (options.examination.python.empty() && !environment_variable("RNNCHECK_PYTHON"))
        options.examination.python = python_of_command(command.front());
    options.check(app);
    const std::string& name = command.front();
    const std::string found = process::apart([&] { return program_of_command(name).value_or(""); });
    if (found.empty())
        return cannot_start(name, ENOENT);  // before a check that may take a minute
    if (const int code = preflight(options, name); code != healthy)
        return code;
    // The command must not inherit signals and streams as rnncheck needs them.
    give_back_process();
    return cannot_start(name, process::exec_command(command));
}

static std::function<int()> declare(CLI::App& app) {
    const auto options = std::make_shared<DoctorOptions>();
    add_examination_options(app, options->examination);
    add_machine_rule_options(app, options->rules);
    app.option_defaults()->group("Output and exit code");
    add_style_options(app, options->report);
    add_privacy_option(app, options->report);
    add_verbose_option(app, options->report);
    add_quiet_option(app, options->report);
    show_command_after_dashes(app);
    return [options, &app] { return run(*options, app); };
}

extern const Command command{declare};

}  // namespace rnncheck::commands::exec
