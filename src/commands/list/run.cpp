// Runs a command as if it had been typed, and explains why it failed.
#include <CLI/CLI.hpp>

#include "base/program.hpp"
#include "commands/command.hpp"
#include "commands/command_line.hpp"
#include "commands/preflight.hpp"
#include "commands/programs.hpp"
#include "commands/run_report.hpp"
#include "process/apart.hpp"

namespace rnncheck::commands::run {

/// Those that `exec` does not have.
struct RunOptions {
    bool check = false;
    std::optional<double> time_limit;  ///< seconds
    bool replay = false;
};

static void add_run_options(CLI::App& app, RunOptions& options) {
    app.add_flag(
        "--check",
        options.check,
        "Check this machine first, and do not start the command if a problem is found");
    app.add_option(
           "--time-limit",
           options.time_limit,
           "End the command after so many seconds (exit code 124), and show what it waited "
           "for")
        ->type_name("S")
        ->check(seconds());
    app.add_flag(
        "--replay",
        options.replay,
        "If the output contains a recurrent network that failed, run that network on "
        "cuDNN alone: shows whether cuDNN or the command is at fault");
}

struct Options : DoctorOptions {
    RunOptions run;
};

static int run(Options& options, const CLI::App& app) {
    const Arguments& command = command_after_dashes();
    if (command.empty())
        throw UsageError(
            "'rnncheck run' needs a command after --, e.g. rnncheck run -- python train.py");
    // The Python of the command, not the one that is active here, is what fails.
    if (options.examination.python.empty() && !environment_variable("RNNCHECK_PYTHON"))
        options.examination.python = python_of_command(command.front());
    options.check(app);
    if (options.run.check)
        if (const int code = preflight(options, command.front()); code != healthy)
            return code;
    // From here on the command must not notice that it was not started by a shell.
    CommandObserver observer;
    process::CommandRun how;
    how.arguments = command;
    how.before_start = give_back_process;
    how.look = [&observer](pid_t process) { return observer.look(process); };
    if (const auto limit = options.run.time_limit)
        how.time_limit =
            std::chrono::ceil<std::chrono::milliseconds>(std::chrono::duration<double>(*limit));
    const process::CommandEnd end = process::run_command(how);
    observer.stop();
    if (end.error != 0)
        return cannot_start(command.front(), end.error);
    // --deadline limits the check after the failure, not the command.
    options.survey.deadline = deadline_from_now(options.examination.deadline);
    process::end_work_apart_at(options.survey.deadline);
    if (has_failed(end))
        explain_failure(end, observer, options, options.run.replay);
    else if (end.exit_code == 0)
        remark_on_success(end, observer, options);
    // A caller sees the signal or exit code of the command, as if it had been started directly.
    process::end_as(end);
}

static std::function<int()> declare(CLI::App& app) {
    const auto options = std::make_shared<Options>();
    options->examination.no_run = true;  // after a failure, a GPU may be busy or broken
    options->examination.deadline = 20;
    add_run_options(app, options->run);
    app.option_defaults()->group("Examination");
    add_look_only_option(app, options->examination);
    add_deadline_option(app, options->examination.deadline);
    add_python_option(app, options->examination);
    add_machine_rule_options(app, options->rules);
    app.option_defaults()->group("Output and exit code");
    add_file_options(app, options->report);
    add_style_options(app, options->report);
    add_privacy_option(app, options->report);
    add_verbose_option(app, options->report);
    add_quiet_option(app, options->report);
    add_root_option(app, options->input.root);
    // Hidden, for tests: the command runs on this machine all the same.
    app.get_option("--root")->group("");
    show_command_after_dashes(app);
    return [options, &app] { return run(*options, app); };
}

extern const Command command{declare};

}  // namespace rnncheck::commands::run
