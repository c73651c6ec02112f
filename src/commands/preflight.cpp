#include "commands/preflight.hpp"

#include <cerrno>
#include <cstring>

#include "base/program.hpp"
#include "base/text.hpp"
#include "commands/survey_here.hpp"
#include "process/apart.hpp"
#include "process/this_process.hpp"

namespace rnncheck {

/// Prints the report to standard error: standard output belongs to the command.
static OverallVerdict check_machine(const DoctorOptions& options) {
    Facts facts = surveyed_with_restrictions(options.survey, options.report.quiet);
    Report judged = judge(std::move(facts), options.matrix, options.selection);
    repeat_question(options, judged);
    const Report report = finished(std::move(judged), options.report);
    write_stderr(text_of(report, options.report.style(STDERR_FILENO)));
    return report.verdict;
}

int preflight(const DoctorOptions& options, const std::string& name) {
    const auto answer =
        process::run_in_fork([&] { return static_cast<int>(check_machine(options)); });
    if (!answer) {
        print_message("the check did not finish; '" + name + "' was not started");
        return bug;
    }
    // A check that is undetermined, such as one without permissions, would stop most commands.
    if (static_cast<OverallVerdict>(*answer) != OverallVerdict::problems)
        return healthy;
    print_message("'" + name + "' was not started: the check found a problem, see above");
    return stopped;
}

int cannot_start(const std::string& name, int error) {
    if (error == ENOENT) {
        print_message("'" + name + "' was not found");
        return not_found;
    }
    print_message("'" + name + "' cannot be started: " + std::string(std::strerror(error)));
    return not_executable;
}

}  // namespace rnncheck
