// Compares two machines, or one with itself at another time.
#include "commands/common_options.hpp"
#include "commands/input.hpp"
#include "commands/survey_here.hpp"
#include "commands/tables.hpp"
#include "fleet/fleet.hpp"

namespace rnncheck::commands::diff {

namespace {

struct Options {
    std::vector<std::string> files;
    SurveyOptions survey;
    std::string matrix;
};

/// This machine, examined as far as the other was.
Facts surveyed_like(const Facts& other, SurveyOptions how, bool quiet) {
    how.ask = stage_was_run(other, Stage::ask);
    how.run = stage_was_run(other, Stage::run);
    how.rnn_request = other.rnn_request;
    return surveyed_with_restrictions(how, quiet);
}

int run(const Options& options, const ReportOptions& report_options) {
    if (options.files.size() > 2)
        throw UsageError("'rnncheck diff' takes two files, or one to compare with this machine");
    const Matrix matrix = matrix_from(options.matrix);
    /// Both by the rules of today, so that only the machines can differ; and both redacted, as saved facts are.
    const auto judged = [&](Facts facts) {
        return redacted_unless(report_options.show_private, judge(std::move(facts), matrix, {}));
    };
    const bool is_here = options.files.size() == 1;
    const Facts first = read_facts(options.files.front());
    Facts second = is_here ? surveyed_like(first, options.survey, report_options.quiet) : read_facts(options.files[1]);
    const Diff diff = rnncheck::diff(judged(first), options.files.front(), judged(std::move(second)),
                                     is_here ? "this machine" : options.files[1]);
    return print_report(finished(diff, report_options), report_options);
}

std::function<int()> declare(CLI::App& app) {
    const auto options = std::make_shared<Options>();
    app.add_option("FILE", options->files,
                   "Two JSON reports or saved facts to compare, or one to compare with this machine")
        ->required();
    add_root_option(app, options->survey.root);
    add_deadline_option(app, options->survey.deadline_s, "none");
    add_matrix_option(app, options->matrix);
    begin_group(app, "Output and exit code");
    return [options, report_options = declare_report_options(app)] { return run(*options, report_options()); };
}

}  // namespace

extern const Command command{.title = "Compare two machines, or this machine with its state at another time",
                             .examples =
                                 "rnncheck diff yesterday.json\n"
                                 "rnncheck diff mine.json my_colleagues.json",
                             .declare = declare};

}  // namespace rnncheck::commands::diff
