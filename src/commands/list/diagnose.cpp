// Finds the cause of a failure in the logs of the program that failed.
#include "base/program.hpp"
#include "commands/common_options.hpp"
#include "commands/input.hpp"
#include "stack/given.hpp"

namespace rnncheck::commands::diagnose {

struct Options {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD_AS(std::vector<std::string>, files, "FILE", "Logs to read; - is standard input");
    RNNCHECK_FIELD(std::vector<std::string>, given,
                   "KEY=VALUE: Additional facts that you know, e.g. os=\"Windows 10\" gpu=\"RTX 3090\" "
                   "framework=\"pytorch 1.4\"");
    RNNCHECK_FIELD(std::string, matrix, matrix_option);
    RNNCHECK_FIELD(ReportOptions, report, "Options");
    RNNCHECK_FIELDS_END
};

/// What cannot be understood is kept beside what was expected, with a warning.
static UserHint hint_from(const std::string& item, const Matrix& matrix) {
    const auto value = stack::split_given(item);
    if (!value || value->key.empty())
        throw UsageError("--given cannot be '" + item + "'; give a key and a value, e.g. os=\"Windows 10\"");
    UserHint hint = stack::user_hint_from(*value, matrix);
    if (hint.expected)
        log::warn(fit_for_message("--given " + stack::in_words({*value, *hint.expected}) + "; it is ignored"));
    return hint;
}

static int run(Options& options, const CLI::App& app) {
    begin_run(app, options.report);
    const Matrix matrix = matrix_from(options.matrix);
    Facts facts;
    facts.tool = {std::string(version_of_rnncheck()), {"log"}};
    facts.log = read_log_files(options.files, matrix);
    for (const std::string& item : options.given) facts.log->user_hints.push_back(hint_from(item, matrix));
    return print_report(finished(judge(std::move(facts), matrix, {}), options.report), options.report);
}

extern const Command command{declared<Options, run>};

}  // namespace rnncheck::commands::diagnose
