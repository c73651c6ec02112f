// The doctor's report as a maintainer wants it in an issue.
#include <CLI/CLI.hpp>

#include "commands/doctor_options.hpp"

namespace rnncheck::commands::report {

struct Options : DoctorOptions {
    std::vector<std::string> logs;  ///< "-" is standard input
};

static int run(Options& options, const CLI::App& app) {
    append(options.input.log, options.logs);
    if (!is_given(app, "--format"))
        options.report.format_name = "markdown";
    return run_doctor(options, app);
}

static std::function<int()> declare(CLI::App& app) {
    const auto options = std::make_shared<Options>();
    add_doctor_options(app, *options);
    app.add_option("LOG", options->logs, "Logs of the program that failed; - is standard input")
        ->type_name("");
    return [options, &app] { return run(*options, app); };
}

extern const Command command{declare};

}  // namespace rnncheck::commands::report
