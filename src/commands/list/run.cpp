// Runs a command as if it had been typed, and explains why it failed.
#include <signal.h>

#include <cerrno>
#include <cstring>

#include "base/program.hpp"
#include "commands/command.hpp"
#include "commands/command_line.hpp"
#include "commands/doctor_options.hpp"
#include "log/read_log.hpp"
#include "process/run/run_command.hpp"

namespace rnncheck::commands::run {

static int cannot_start(const std::string& name, int error) {
    print_message("'" + name + "' " +
                  (error == ENOENT ? "was not found" : "cannot be started: " + std::string(std::strerror(error))));
    return error == ENOENT ? not_found : not_executable;
}

/// What somebody ended on purpose, or nobody wanted to read any more, did not fail.
static bool has_failed(const process::CommandEnd& end) {
    if (end.signal) return *end.signal != SIGINT && *end.signal != SIGPIPE;
    return end.exit_code != 0;
}

static LogInput log_input(std::string name, const std::string& text) {
    return {std::move(name), [rest = std::string_view(text)](char* to, std::size_t size) mutable {
                const std::size_t part = rest.copy(to, size);
                rest.remove_prefix(part);
                return part;
            }};
}

static Log log_of(const std::vector<process::Output>& outputs, const Matrix& matrix) {
    std::vector<LogInput> inputs;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        std::string name = i == 0 ? "standard output" : "standard error";
        if (outputs.size() == 1) name = "output";
        if (!outputs[i].head.empty()) inputs.push_back(log_input(name, outputs[i].head));
        if (!outputs[i].tail.empty()) inputs.push_back(log_input("end of " + name, outputs[i].tail));
    }
    return read_logs(inputs, matrix);
}

/// To standard error: standard output is the command's.
static void explain(const process::CommandEnd& end, const DoctorOptions& options) {
    Facts facts;
    facts.tool = {std::string(version_of_rnncheck()), {"log"}};
    facts.log = log_of(end.outputs, options.matrix);
    Report judged = judge(std::move(facts), options.matrix, options.selection);
    repeat_question(options, judged);
    const Report report = finished(std::move(judged), options.report);
    const Outline outline = outline_of(report);
    write_outputs(outline, options.report);
    print_aside((*options.report.format)->write(outline, options.report.style(STDERR_FILENO)));
}

static int run(DoctorOptions& options, const CLI::App& app) {
    const Arguments& command = command_after_dashes();
    if (command.empty())
        throw UsageError("'rnncheck run' needs a command after --, e.g. rnncheck run -- python train.py");
    options.check(app);
    process::CommandRun how;
    how.arguments = command;
    how.before_start = give_back_process;
    const process::CommandEnd end = process::run_command(how);
    if (end.error != 0) return cannot_start(command.front(), end.error);
    if (has_failed(end)) explain(end, options);
    process::end_as(end);
}

static std::function<int()> declare(CLI::App& app) {
    const auto options = std::make_shared<DoctorOptions>();
    add_options(
        app, *options,
        {"only", "skip", "ignore", "matrix", "output", "label", "color", "ascii", "show-private", "verbose", "quiet"});
    return [options, &app] { return run(*options, app); };
}

extern const Command command{declare};

}  // namespace rnncheck::commands::run
