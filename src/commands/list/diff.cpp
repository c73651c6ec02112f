// Compares two machines, or one with itself at another time.
#include <CLI/CLI.hpp>

#include "commands/common_options.hpp"
#include "commands/input.hpp"
#include "commands/survey_here.hpp"
#include "fleet/fleet.hpp"

namespace rnncheck::commands::diff {

struct Options {
    std::vector<std::string> files;  ///< one or two
    std::string root;
    std::optional<double> deadline;  ///< seconds
    std::string matrix;
    ReportOptions report;
};

/// This machine, examined as far as the other was.
static Facts surveyed_like(const Facts& other, const Options& options) {
    SurveyOptions how;
    how.root = options.root;
    how.deadline = deadline_after(options.deadline);
    how.query = stage_was_run(other, Stage::query);
    how.run = stage_was_run(other, Stage::run);
    how.rnn_request = other.rnn_request;
    return surveyed_with_restrictions(how, options.report.quiet);
}

static int run(Options& options, const CLI::App& app) {
    begin_run(app, options.report);
    if (options.files.size() > 2)
        throw UsageError("'rnncheck diff' takes two files, or one to compare with this machine");
    const Matrix matrix = matrix_from(options.matrix);
    // Both by the rules of today, so that only the machines can differ; and both redacted, as
    // saved facts are.
    const auto judged = [&](Facts facts) {
        return redacted_unless(options.report.show_private, judge(std::move(facts), matrix, {}));
    };
    const Facts first = read_facts(options.files.front());
    std::string name_of_second = "this machine";
    Facts second;
    if (options.files.size() == 2) {
        name_of_second = options.files[1];
        second = read_facts(name_of_second);
    } else {
        second = surveyed_like(first, options);
    }
    const Diff diff = rnncheck::diff(
        judged(first), options.files.front(), judged(std::move(second)), name_of_second);
    return print_report(finished(diff, options.report), options.report);
}

static std::function<int()> declare(CLI::App& app) {
    const auto options = std::make_shared<Options>();
    app.add_option(
           "FILE",
           options->files,
           "Two JSON reports or saved facts to compare, or one to compare with this machine")
        ->type_name("")
        ->required();
    add_root_option(app, options->root);
    add_deadline_option(app, options->deadline);
    add_matrix_option(app, options->matrix);
    app.option_defaults()->group("Output and exit code");
    add_report_options(app, options->report);
    return [options, &app] { return run(*options, app); };
}

extern const Command command{declare};

}  // namespace rnncheck::commands::diff
