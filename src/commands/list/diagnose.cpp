// Finds the cause of a failure in the logs of the program that failed.
#include "base/program.hpp"
#include "commands/common_options.hpp"
#include "commands/input.hpp"
#include "commands/tables.hpp"
#include "compat/given.hpp"

namespace rnncheck::commands::diagnose {

namespace {

struct Options {
    std::vector<std::string> files, given;
    std::string matrix;
};

/// What cannot be understood is kept beside what was expected, with a warning.
UserHint hint_from(const std::string& item, const Matrix& matrix) {
    const auto value = split_given(item);
    if (!value || value->key.empty())
        throw UsageError("--given cannot be '" + item + "'; give a key and a value, e.g. os=\"Windows 10\"");
    UserHint hint = user_hint_from(*value, matrix);
    if (hint.expected) log::warn(fit_for_message("--given " + in_words({*value, *hint.expected}) + "; it is ignored"));
    return hint;
}

int run(const Options& options, const ReportOptions& report_options) {
    const Matrix matrix = matrix_from(options.matrix);
    Facts facts;
    facts.tool = {std::string(version_of_rnncheck()), {"log"}};
    facts.log = read_log_files(options.files, matrix);
    for (const std::string& item : options.given) facts.log->user_hints.push_back(hint_from(item, matrix));
    return print_report(finished(judge(std::move(facts), matrix, {}), report_options), report_options);
}

std::function<int()> declare(CLI::App& app) {
    const auto options = std::make_shared<Options>();
    app.add_option("FILE", options->files, "Logs to read; - is standard input")->required();
    add_list(app, "--given", options->given,
             "Additional facts that you know, e.g. os=\"Windows 10\" gpu=\"RTX 3090\" framework=\"pytorch 1.4\"",
             "KEY=VALUE");
    add_matrix_option(app, options->matrix);
    return [options, report_options = declare_report_options(app)] { return run(*options, report_options()); };
}

}  // namespace

extern const Command command{.title = "Find the cause of a failure in its logs",
                             .examples =
                                 "rnncheck diagnose train.log\n"
                                 "python train.py 2>&1 | rnncheck diagnose - --given gpu=\"RTX 3090\"",
                             .declare = declare};

}  // namespace rnncheck::commands::diagnose
