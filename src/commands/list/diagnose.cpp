// Names the cause of a failure from the logs of the program that failed.
#include <unistd.h>

#include <sstream>

#include "base/errors.hpp"
#include "base/log.hpp"
#include "base/program.hpp"
#include "base/text.hpp"
#include "commands/command.hpp"
#include "commands/identity.hpp"
#include "commands/ids.hpp"
#include "commands/log_files.hpp"
#include "commands/output.hpp"
#include "commands/verdict_code.hpp"
#include "compat/given.hpp"
#include "judge.hpp"
#include "log/read_log.hpp"

namespace rnncheck::commands::diagnose {

namespace {

struct Options {
    std::vector<std::string> files, given;
    std::string format = "text", matrix, color = "auto", fail_on = "error";
    bool json = false, show_private = false, verbose = false, quiet = false;
};

/// What cannot be understood stays beside what was expected, and is told.
Said said_by(const std::string& item, const Matrix& matrix) {
    const auto value = split_given(item);
    if (!value || value->key.empty())
        throw UsageError("--given cannot be '" + item + "'; give a key and a value, e.g. os=\"Windows 10\"");
    Said said = said_from(*value, matrix);
    if (said.expected) log::warn("--given " + in_words({*value, *said.expected}) + "; it is left out");
    return said;
}

int run(const Options& options) {
    if (options.verbose) log::set_level(log::Level::verbose);
    if (options.quiet) log::set_level(log::Level::quiet);
    const Matrix matrix = options.matrix.empty() ? Matrix::bundled() : Matrix::from_folder(options.matrix);
    const auto& format = *format_named(options.json ? "json" : options.format);
    const auto color = word_from<ColorChoice>(options.color, "--color");
    const auto fail_on = word_from<FailOn>(options.fail_on, "--fail-on");
    Facts facts;
    facts.tool = {std::string(version_of_rnncheck()), {"log"}};
    facts.log = read_log_files(options.files, matrix);
    for (const std::string& item : options.given) facts.log->said.push_back(said_by(item, matrix));
    Report report = judge(std::move(facts), matrix, {});
    if (!options.show_private) report = redact(std::move(report), this_machine());
    std::ostringstream out;
    format->write(report, out,
                  {.color = wants_color(color, STDOUT_FILENO), .verbose = options.verbose, .quiet = options.quiet});
    print_document(out.str());
    return exit_code(report.verdict, fail_on);
}

std::function<int()> declare(CLI::App& app) {
    const auto options = std::make_shared<Options>();
    app.add_option("FILE", options->files, "Logs to read; - is standard input")->required();
    app.add_option("--given", options->given,
                   "What you know besides, e.g. os=\"Windows 10\" gpu=\"RTX 3090\" framework=\"pytorch 1.4\"")
        ->allow_extra_args(false)
        ->type_name("KEY=VALUE");
    app.add_option("--format", options->format, "Form of the report: " + listing(format_names()))->type_name("F");
    app.add_flag("--json", options->json, "The same as --format json")->disable_flag_override();
    app.add_option("--matrix", options->matrix, "Use the tables in this folder")->type_name("DIR");
    app.add_option("--fail-on", options->fail_on, "error, or warning: exit 4 when there are warnings")
        ->type_name("error|warning|never");
    app.add_flag("--show-private", options->show_private,
                 "Keep user names, host names, serial numbers and UUIDs in the output")
        ->disable_flag_override();
    app.add_option("--color", options->color, "Colour; auto means on a terminal, unless NO_COLOR is set")
        ->type_name("auto|always|never");
    app.add_flag("-v,--verbose", options->verbose, "Tell everything")->disable_flag_override();
    app.add_flag("-q,--quiet", options->quiet, "One line for the verdict and one for each finding")
        ->disable_flag_override();
    return [options] { return run(*options); };
}

}  // namespace

extern const Command command{.title = "Read logs and name the cause of the failure", .declare = declare};

}  // namespace rnncheck::commands::diagnose
