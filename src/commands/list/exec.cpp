// Examines this machine in the very environment that a command will have, then becomes that command.
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/program.hpp"
#include "base/text.hpp"
#include "commands/behind_mark.hpp"
#include "commands/command.hpp"
#include "commands/doctor_options.hpp"
#include "commands/find_in_path.hpp"
#include "commands/matrix_age.hpp"
#include "commands/output.hpp"
#include "commands/progress.hpp"
#include "commands/restrictions.hpp"
#include "process/this_process.hpp"

namespace rnncheck::commands::exec {

namespace {

using Arguments = std::vector<std::string>;

OverallVerdict preflight(const DoctorOptions& options, const Matrix& matrix) {
    Facts facts = surveyed(options.survey, options.report.quiet);
    facts.tool.restrictions = restrictions_of(facts);
    Report report = judge(std::move(facts), matrix, options.selection);
    add_age(report.tool);
    report = redacted_unless(options.report.show_private, std::move(report));
    print_aside(report_as_text(report, *options.report.format, options.report,
                               wants_color(options.report.color, STDERR_FILENO)));
    return report.verdict;
}

void say(const std::string& sentence) {
    print_aside("rnncheck: " + escaped(sentence) + '\n');
}

int cannot_start(const std::string& name, int error) {
    say("'" + name + "' " +
        (error == ENOENT ? "was not found" : "cannot be started: " + std::string(std::strerror(error))));
    return error == ENOENT ? not_found : not_executable;
}

int run(const DoctorOptions& options, const Arguments& command) {
    const std::string& name = command.front();
    const bool there = contains(name, "/") ? ::access(name.c_str(), F_OK) == 0 : find_in_path(name).has_value();
    if (!there) return cannot_start(name, ENOENT);  // before a check that may take a minute
    const Matrix matrix = matrix_from(options.matrix_directory);
    const auto answer = process::run_in_fork([&] { return static_cast<int>(preflight(options, matrix)); });
    if (!answer) {
        say("the check did not come to its end; '" + name + "' was not started");
        return bug;
    }
    if (static_cast<OverallVerdict>(*answer) == OverallVerdict::problems) {
        say("'" + name + "' was not started: see above");
        return stopped;
    }
    give_back_signals();
    return cannot_start(name, process::exec_command(command));
}

std::function<int()> declare(CLI::App& app) {
    app.footer("Put the command after --: rnncheck exec -- python train.py");
    return [read_options = declare_preflight_options(app)] {
        const Arguments& command = arguments_behind_mark();
        if (command.empty()) throw UsageError("'rnncheck exec' needs a command: rnncheck exec -- python train.py");
        return run(read_options(), command);
    };
}

}  // namespace

extern const Command command{.title = "Check this machine, then run a command if no problem was found",
                             .declare = declare};

}  // namespace rnncheck::commands::exec
