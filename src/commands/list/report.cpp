// The doctor's report as a maintainer wants it in an issue.
#include "commands/doctor_options.hpp"

namespace rnncheck::commands::report {

struct Options : DoctorOptions {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD_AS(std::vector<std::string>, logs, "[LOG]",
                      "Logs of the program that failed; - is standard input");
    RNNCHECK_FIELDS_END_AFTER(DoctorOptions)
};

static int run(Options& options, const CLI::App& app) {
    append(options.input.log, options.logs);
    if (!is_given(app, "--format"))
        options.report.format_name = "markdown";
    return run_doctor(options, app);
}

extern const Command command{declared<Options, run>};

}  // namespace rnncheck::commands::report
