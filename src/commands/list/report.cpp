// The doctor's report as a maintainer wants it in an issue.
#include "commands/doctor_options.hpp"

namespace rnncheck::commands::report {

static std::function<int()> declare(CLI::App& app) {
    const auto logs = std::make_shared<std::vector<std::string>>();
    app.add_option("LOG", *logs, "Logs of the program that failed; - is standard input");
    return [read_options = declare_doctor_options(app), logs, &app] {
        DoctorOptions options = read_options();
        options.logs.insert(options.logs.end(), logs->begin(), logs->end());
        if (app.count("--format") + app.count("--json") == 0) options.report.format = format_named("markdown");
        return run_doctor(options);
    };
}

extern const Command command{
    .title = "Print a report for an issue, as Markdown: this machine, its frameworks, and logs",
    .examples =
        "rnncheck report\n"
        "rnncheck report train.log --python venv",
    .declare = declare};

}  // namespace rnncheck::commands::report
