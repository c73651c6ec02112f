// Names the cause of a failure from the logs of the program that failed.
#include <memory>

#include "base/program.hpp"
#include "base/text.hpp"
#include "commands/command.hpp"
#include "commands/common_options.hpp"
#include "commands/log_files.hpp"
#include "compat/given.hpp"
#include "judge.hpp"
#include "log/read_log.hpp"

namespace rnncheck::commands::diagnose {

namespace {

struct Options {
    std::vector<std::string> files, given;
    std::string matrix;
};

/// What cannot be understood stays beside what was expected, and is told.
UserHint said_by(const std::string& item, const Matrix& matrix) {
    const auto value = split_given(item);
    if (!value || value->key.empty())
        throw UsageError("--given cannot be '" + item + "'; give a key and a value, e.g. os=\"Windows 10\"");
    UserHint said = user_hint_from(*value, matrix);
    if (said.expected) log::warn("--given " + in_words({*value, *said.expected}) + "; it is left out");
    return said;
}

int run(const Options& options, const ReportOptions& report_options) {
    if (report_options.quiet) log::set_level(log::Level::quiet);
    const Matrix matrix = matrix_from(options.matrix);
    Facts facts;
    facts.tool = {std::string(version_of_rnncheck()), {"log"}};
    facts.log = read_log_files(options.files, matrix);
    for (const std::string& item : options.given) facts.log->user_hints.push_back(said_by(item, matrix));
    return print_report(judge(std::move(facts), matrix, {}), report_options);
}

std::function<int()> declare(CLI::App& app) {
    const auto options = std::make_shared<Options>();
    app.add_option("FILE", options->files, "Logs to read; - is standard input")->required();
    app.add_option("--given", options->given,
                   "Additional facts that you know, e.g. os=\"Windows 10\" gpu=\"RTX 3090\" framework=\"pytorch 1.4\"")
        ->allow_extra_args(false)
        ->type_name("KEY=VALUE");
    add_matrix_option(app, options->matrix);
    return [options, report_options = declare_report_options(app)] { return run(*options, report_options()); };
}

}  // namespace

extern const Command command{.title = "Find the cause of a failure in its logs", .declare = declare};

}  // namespace rnncheck::commands::diagnose
