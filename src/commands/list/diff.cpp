// Compares two machines, or one with itself at another time.
#include "commands/common_options.hpp"
#include "commands/input.hpp"
#include "commands/survey_here.hpp"
#include "commands/tables.hpp"

namespace rnncheck::commands::diff {

namespace {

struct Options {
    std::vector<std::string> files;
    SurveyOptions survey;
    std::string matrix;
    DocumentOptions document;
};

/// Both by the rules of today, so that only the machines can differ; and both redacted, as saved facts are.
Report judged(Facts facts, const Matrix& matrix, bool show_private) {
    return redacted_unless(show_private, judge(std::move(facts), matrix, {}));
}

/// This machine, examined as far as the other was.
Facts surveyed_like(const Facts& other, SurveyOptions how, bool quiet) {
    how.ask = stage_was_run(other, Stage::ask);
    how.run = stage_was_run(other, Stage::run);
    how.rnn_request = other.rnn_request;
    return surveyed_with_restrictions(how, quiet);
}

int run(const Options& options) {
    if (options.files.size() > 2) throw UsageError("'rnncheck diff' compares two files, or one with this machine");
    const Matrix matrix = matrix_from(options.matrix);
    const bool is_here = options.files.size() == 1;
    const Facts first = read_facts(options.files.front());
    Facts second =
        is_here ? surveyed_like(first, options.survey, options.document.quiet) : read_facts(options.files[1]);
    DiffDocument document;
    document.tool = stamp_with(matrix.date(), matrix.digest());
    document.diff = rnncheck::diff(judged(first, matrix, options.document.show_private), options.files.front(),
                                   judged(std::move(second), matrix, options.document.show_private),
                                   is_here ? "this machine" : options.files[1]);
    print_document(written(document, options.document));
    constexpr Exit codes[] = {healthy, problem, undetermined};
    return codes[static_cast<std::size_t>(document.diff.outcome)];
}

std::function<int()> declare(CLI::App& app) {
    const auto options = std::make_shared<Options>();
    app.add_option("FILE", options->files,
                   "One or two reports (--json) or saved facts; one is compared with this machine")
        ->required();
    add_root_option(app, options->survey.root);
    add_deadline_option(app, options->survey.deadline_s, "none");
    add_matrix_option(app, options->matrix);
    add_document_options(app, options->document);
    add_flag(app, "-q,--quiet", options->document.quiet, "Show only what differs first, in one line");
    add_private_option(app, options->document.show_private);
    return [options] { return run(*options); };
}

}  // namespace

extern const Command command{.title = "Compare two machines, or this one with what it was",
                             .examples =
                                 "rnncheck diff yesterday.json\n"
                                 "rnncheck diff mine.json my_colleagues.json",
                             .declare = declare};

}  // namespace rnncheck::commands::diff
