// Options that several commands have: declared, explained and checked once, with one meaning everywhere.
#pragma once

#include "commands/command.hpp"
#include "commands/options.hpp"
#include "commands/output.hpp"
#include "judge.hpp"
#include "report/outline.hpp"

namespace rnncheck {

// Texts of options of several commands.
inline constexpr const char *matrix_option = "DIR: Use the compatibility tables in this directory",
                            *root_option = "DIR: Examine the files below this directory, e.g. a mounted image",
                            *deadline_option = "S: Time limit for the whole check, in seconds (default: {})";

/// Rules to ask, and the tables that they are asked with.
struct RuleOptions {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(std::vector<std::string>, only, "ID: Run only these rules");
    RNNCHECK_FIELD(std::vector<std::string>, skip, "ID: Skip these rules or probes");
    RNNCHECK_FIELD(std::vector<std::string>, ignore,
                   "ID: Report findings of these rules as notes; they do not affect the verdict");
    RNNCHECK_FIELD(std::string, matrix, matrix_option);
    RNNCHECK_FIELDS_END
};

/// What --for names. UsageError when it is no framework with a version.
Framework framework_asked_for(const std::string& text);

/// With the rules that --require and a profile add. UsageError for an id that does not exist, and where no rule is
/// left. Adds the probes among --skip to `skipped_probes`.
Selection selection_from(const RuleOptions& rules, std::vector<std::string> require, const Profile& profile,
                         const Matrix& matrix, std::set<std::string>& skipped_probes);

RNNCHECK_ENUM(FailOn, error, warning, never)

enum class ColorChoice { automatic, always, never };
RNNCHECK_ENUM_NAMES(ColorChoice, "auto", "always", "never")

/// Exit codes of rnncheck, or those of monitoring plugins: 0 OK, 1 warnings, 2 problems, 3 unknown.
RNNCHECK_ENUM(ExitStyle, plain, nagios)

/// A second copy of the report: `--output json=report.json`.
struct OutputFile {
    const Named<Format>* format = nullptr;  ///< null: that of standard output
    std::string path;
};

/// How a report is written, and what its exit code is; of a document that is no report a command declares a few. Where
/// a document can hold nothing private, `show_private` is set: it takes time to look.
struct ReportOptions {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD_AS(std::string, format_name, "format", "F: Format of the report: {formats}") = "text";
    RNNCHECK_FIELD(bool, json, "Print one JSON document") = false;
    RNNCHECK_FIELD(std::vector<std::string>, output,
                   "[F=]FILE: Also write the report to a file, e.g. json=report.json; a name alone gets the format of "
                   "--format; can be repeated");
    RNNCHECK_FIELD(std::vector<std::string>, label,
                   "KEY=VALUE: Add a label to the report, e.g. node=gpu017; labels are not redacted");
    RNNCHECK_FIELD(ColorChoice, color, "Use color; auto means on a terminal, unless NO_COLOR is set") = {};
    RNNCHECK_FIELD(bool, ascii, "Print only ASCII characters") = false;
    RNNCHECK_FIELD(bool, show_private,
                   "Show user and host names, home directories, addresses, serial numbers and secrets instead of "
                   "hiding them") = false;
    RNNCHECK_FIELD_AS(bool, verbose, "-v,--verbose", "Show all details") = false;
    RNNCHECK_FIELD_AS(bool, quiet, "-q,--quiet",
                      "Show only the verdict, in one line, without progress and warnings") = false;
    RNNCHECK_FIELD(FailOn, fail_on, "With \"warning\": exit code 4 if there are warnings") = FailOn::error;
    RNNCHECK_FIELD(ExitStyle, exit_style,
                   "With \"nagios\": exit code and, without --format, output of a monitoring plugin") =
        ExitStyle::plain;
    RNNCHECK_FIELDS_END

    // What begin_run() makes of them.
    const Named<Format>* format = format_named("text");
    std::vector<OutputFile> outputs;
    RunStamp run;
    std::chrono::steady_clock::time_point started = {};

    /// For text printed there: colours where they are wanted and understood; ASCII alone unless the locale is UTF-8 and
    /// TERM is not "dumb"; COLUMNS or the terminal's columns, 100 where there is no terminal.
    Style style(int descriptor = 1) const;
};

/// Once the command line is parsed: reads what the options name, and sets the level of messages. UsageError where two
/// contradict each other.
void begin_run(const CLI::App& app, ReportOptions& options);

/// Without what is private, unless that is to be shown. Every document passes here.
template <class Document>
Document redacted_unless(bool show_private, Document document) {
    return show_private ? document : redact(std::move(document), this_machine());
}

/// The document as they say.
template <class Document>
std::string written(Document document, const ReportOptions& options) {
    document = redacted_unless(options.show_private, std::move(document));
    return options.json ? json_text(document, options.style().json_lines) : text_of(document, options.style());
}

/// Text of --help or `rnncheck help` to stdout, its columns folded to the width of the terminal. Gives the exit code.
int print_help(const std::string& help);

/// That, with when and how the command was run, and the age of its tables.
template <class Document>
Document finished(Document document, const ReportOptions& options) {
    stamp_run(document, document.tool, options);
    return redacted_unless(options.show_private, std::move(document));
}
void stamp_run(RunStamp& run, ToolStamp& tool, const ReportOptions& options);

/// What finished() gave, to stdout and into the files of --output; the exit code, which also says when a file, or one
/// of the command's own before, could not be written.
int print_outline(Outline outline, const ReportOptions& options, bool all_written);
template <class Document>
int print_report(const Document& document, const ReportOptions& options, bool all_written = true) {
    return print_outline(outline_of(document), options, all_written);
}

/// Problems always give 1 and an open verdict 3; warnings give 0, or 4 when they are to fail.
Exit exit_code(OverallVerdict verdict, FailOn fail_on);

/// A terminal that understands control codes: TERM is set and not "dumb".
bool is_capable_terminal(int descriptor);

}  // namespace rnncheck
