// Finds the cause of a failure in the logs of the program that failed.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/lists.hpp"
#include "base/program.hpp"
#include "base/text.hpp"
#include "commands/common_options.hpp"
#include "commands/input.hpp"
#include "commands/output.hpp"
#include "stack/given.hpp"

namespace rnncheck::commands::diagnose {

/// Empty for what was not given.
struct Options {
    std::vector<std::string> files;  ///< "-" is standard input
    std::vector<std::string> given;  ///< "os=Windows 10"
    std::string matrix;
    ReportOptions report;
};

/// What cannot be understood is kept beside what was expected, with a warning.
static UserHint hint_from(const std::string& item, const Matrix& matrix) {
    const auto value = stack::split_given(item);
    if (!value || value->key.empty())
        throw UsageError(
            "--given cannot be '" + item + "'; give a key and a value, e.g. os=\"Windows 10\"");
    UserHint hint = stack::user_hint_from(*value, matrix);
    if (hint.expected)
        log::warn(redacted_message(
            "--given " + stack::in_words({*value, *hint.expected}) + "; it is ignored"));
    return hint;
}

/// For an argument that is the text of an error, not a file: a status or a sentence.
static std::string hint_for_message(const std::vector<std::string>& files) {
    const auto is_message = [](const std::string& name) {
        // CUDNN_STATUS_INTERNAL_ERROR: capitals and underscores.
        const bool is_status = contains(name, "_") && std::ranges::none_of(name, [](char c) {
                                   return c >= 'a' && c <= 'z';
                               });
        const bool is_file = contains(name, ".") || contains(name, "/");
        return !is_file && (is_status || contains(name, " "));
    };
    const auto message = std::ranges::find_if(files, is_message);
    if (message == files.end())
        return "";
    return "; if it is the text of an error: rnncheck explain " +
           redacted_message(shell_quoted(*message));
}

/// InputError names what to do if an argument was no file but the message itself.
static Log read(const std::vector<std::string>& files, const Matrix& matrix) {
    // Else it would look as if the program hung.
    if (includes(files, "-") && isatty(STDIN_FILENO) == 1)
        print_message(
            "reading the log from the terminal; paste it, then press Ctrl-D in an empty line");
    try {
        return read_log_files(files, matrix);
    } catch (const InputError& error) {
        throw InputError(error.what() + hint_for_message(files));
    }
}

/// KEY=VALUE among the files is meant for --given, which takes one at a time.
static void move_given(Options& options) {
    const auto is_log = [keys = stack::given_keys()](const std::string& name) {
        const auto value = stack::split_given(name);
        return !value || !includes(keys, value->key);
    };
    const auto given = std::ranges::stable_partition(options.files, is_log);
    options.given.insert(options.given.end(), given.begin(), given.end());
    options.files.erase(given.begin(), given.end());
    if (options.files.empty())
        throw UsageError("'rnncheck diagnose' needs a log: rnncheck diagnose train.log");
}

static int run(Options& options, const CLI::App& app) {
    begin_run(app, options.report);
    // Before the logs are read: KEY=VALUE is no file.
    move_given(options);
    const Matrix matrix = matrix_from(options.matrix);
    Facts facts;
    facts.tool = {std::string(version_of_rnncheck()), {"log"}};
    facts.log = read(options.files, matrix);
    for (const std::string& item : options.given)
        facts.log->user_hints.push_back(hint_from(item, matrix));
    return print_report(
        finished(judge(std::move(facts), matrix, {}), options.report), options.report);
}

static std::function<int()> declare(CLI::App& app) {
    const auto options = std::make_shared<Options>();
    app.add_option("FILE", options->files, "Logs to read; - is standard input")
        ->type_name("")
        ->required();
    app.add_option(
           "--given",
           options->given,
           "Additional facts that you know, e.g. os=\"Windows 10\" gpu=\"RTX 3090\" "
           "framework=\"pytorch 1.4\"")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    add_matrix_option(app, options->matrix);
    add_report_options(app, options->report);
    return [options, &app] { return run(*options, app); };
}

extern const Command command{declare};

}  // namespace rnncheck::commands::diagnose
