#include "commands/preflight.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/program.hpp"
#include "base/text.hpp"
#include "commands/survey_here.hpp"
#include "files/python/environments.hpp"
#include "files/which.hpp"
#include "process/apart.hpp"
#include "process/this_process.hpp"

namespace rnncheck {

static OverallVerdict check_machine(const DoctorOptions& options) {
    Facts facts = surveyed_with_restrictions(options.survey, options.report.quiet);
    Report judged = judge(std::move(facts), options.matrix, options.selection);
    repeat_question(options, judged);
    const Report report = finished(std::move(judged), options.report);
    print_aside(text_of(report, options.report.style(STDERR_FILENO)));
    return report.verdict;
}

int preflight(const DoctorOptions& options, const std::string& name) {
    const auto answer =
        process::run_in_fork([&] { return static_cast<int>(check_machine(options)); });
    if (!answer) {
        print_message("the check did not finish; '" + name + "' was not started");
        return bug;
    }
    if (static_cast<OverallVerdict>(*answer) != OverallVerdict::problems)
        return healthy;
    print_message("'" + name + "' was not started: the check found a problem, see above");
    return stopped;
}

static std::string python_that_runs(const std::string& name) {
    const std::string file = contains(name, "/") ? name : find_in_path(name).value_or("");
    if (file.empty())
        return "";
    const std::string runner = loader::program_of_script(Root(), file).value_or(name);
    if (!contains(runner, "/") || !file_name(runner).starts_with("python"))
        return "";
    const std::string path = std::filesystem::absolute(runner).lexically_normal().string();
    return python::environment_at(Root(), python::variables_of_process(), path) ? path : "";
}

std::string python_of_command(const std::string& name) {
    try {
        return process::apart([&] { return python_that_runs(name); });
    } catch (const InputError&) {
        return "";  // the command itself will show what is wrong with its file
    }
}

int cannot_start(const std::string& name, int error) {
    print_message("'" + name + "' " +
                  (error == ENOENT ? "was not found"
                                   : "cannot be started: " + std::string(std::strerror(error))));
    return error == ENOENT ? not_found : not_executable;
}

}  // namespace rnncheck
