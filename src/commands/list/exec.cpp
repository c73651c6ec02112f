// Checks this machine in the very environment that a command will have, then becomes that command.
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/program.hpp"
#include "base/text.hpp"
#include "commands/command.hpp"
#include "commands/command_line.hpp"
#include "commands/doctor_options.hpp"
#include "commands/input.hpp"
#include "commands/survey_here.hpp"
#include "process/apart.hpp"
#include "process/this_process.hpp"

namespace rnncheck::commands::exec {

static OverallVerdict preflight(const DoctorOptions& options) {
    Facts facts = surveyed_with_restrictions(options.survey, options.report.quiet);
    Report judged = judge(std::move(facts), options.matrix, options.selection);
    repeat_question(options, judged);
    const Report report = finished(std::move(judged), options.report);
    print_aside(text_of(report, options.report.style(STDERR_FILENO)));
    return report.verdict;
}

static int cannot_start(const std::string& name, int error) {
    print_message("'" + name + "' " +
                  (error == ENOENT ? "was not found" : "cannot be started: " + std::string(std::strerror(error))));
    return error == ENOENT ? not_found : not_executable;
}

static int run(DoctorOptions& options, const CLI::App& app) {
    const Arguments& command = command_after_dashes();
    if (command.empty())
        throw UsageError("'rnncheck exec' needs a command after --, e.g. rnncheck exec -- python train.py");
    options.check(app);
    const std::string& name = command.front();
    const std::string found = process::apart([&] {
        if (contains(name, "/")) return ::access(name.c_str(), F_OK) == 0 ? name : "";
        return find_in_path(name).value_or("");
    });
    if (found.empty()) return cannot_start(name, ENOENT);  // before a check that may take a minute
    const auto answer = process::run_in_fork([&] { return static_cast<int>(preflight(options)); });
    if (!answer) {
        print_message("the check did not finish; '" + name + "' was not started");
        return bug;
    }
    if (static_cast<OverallVerdict>(*answer) == OverallVerdict::problems) {
        print_message("'" + name + "' was not started: the check found a problem, see above");
        return stopped;
    }
    give_back_process();
    return cannot_start(name, process::exec_command(command));
}

static std::function<int()> declare(CLI::App& app) {
    const auto options = std::make_shared<DoctorOptions>();
    add_options(app, *options,
                {"look-only", "no-run", "make-nodes", "deadline", "python", "only", "skip", "ignore", "matrix",
                 "allow-no-gpu", "color", "ascii", "show-private", "verbose", "quiet"});
    return [options, &app] { return run(*options, app); };
}

extern const Command command{declare};

}  // namespace rnncheck::commands::exec
