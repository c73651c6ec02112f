// Options that several commands have: declared, explained and checked once, with one meaning
// everywhere.
#pragma once

#include "commands/command.hpp"
#include "commands/options.hpp"
#include "commands/output.hpp"
#include "judge.hpp"
#include "report/outline.hpp"

namespace rnncheck {

// Help texts that several commands share.
inline constexpr const char *matrix_option = "DIR: Use the compatibility tables in this directory",
                            *root_option =
                                "DIR: Examine the files below this directory, e.g. a mounted image",
                            *deadline_option =
                                "S: Time limit for the whole check, in seconds (default: {})";

/// Which rules to run, and with which tables.
struct RuleOptions {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(std::vector<std::string>, only, "ID: Run only these rules");
    RNNCHECK_FIELD(std::vector<std::string>, skip, "ID: Skip these rules or probes");
    RNNCHECK_FIELD(std::vector<std::string>, ignore,
                   "ID: Report findings of these rules as notes; they do not affect the verdict");
    RNNCHECK_FIELD(std::string, matrix, matrix_option);
    RNNCHECK_FIELD(bool, allow_no_gpu, "Do not report a missing NVIDIA GPU as a problem") = false;
    RNNCHECK_FIELDS_END
};

/// The framework version that --for names. UsageError if the text is not a framework with a
/// version.
Framework parse_requested_framework(const std::string& text);

/// The rules to run, with those that --require and a profile add. UsageError for an unknown id, and
/// if no rule is left. Adds the probes among --skip to `skipped_probes`.
Selection selection_from(const RuleOptions& rules, std::vector<std::string> require,
                         const Profile& profile, const Matrix& matrix,
                         std::set<std::string>& skipped_probes);

RNNCHECK_ENUM(FailOn, error, warning, never)

enum class ColorChoice { automatic, always, never };
RNNCHECK_ENUM_NAMES(ColorChoice, "auto", "always", "never")

/// Exit codes of rnncheck, or those of monitoring plugins: 0 OK, 1 warnings, 2 problems, 3 unknown.
RNNCHECK_ENUM(ExitStyle, plain, nagios)

/// Another output of the report: `--output json=report.json`.
struct OutputFile {
    const Named<Format>* format = nullptr;  ///< null: that of standard output
    std::string path;
};

/// How a report is written, and which exit code it gives. A command that prints another document
/// declares only some of these. If the document cannot contain private data, the command sets
/// `show_private`, because the search takes time.
struct ReportOptions {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD_AS(std::string, format_name, "format",
                      "F: Format of the report: {formats}") = "text";
    RNNCHECK_FIELD(bool, json, "Print one JSON document") = false;
    RNNCHECK_FIELD(std::vector<std::string>, output,
                   "[F=]FILE: Also write the report to a file, e.g. json=report.json; of a file "
                   "name alone, the ending chooses "
                   "the format (.json, .html, .md, .xml, .csv, .prom, .txt), otherwise --format "
                   "does; can be repeated");
    RNNCHECK_FIELD(
        std::vector<std::string>, label,
        "KEY=VALUE: Add a label to the report, e.g. node=gpu017; labels are not redacted");
    RNNCHECK_FIELD(ColorChoice, color,
                   "Use color; auto means on a terminal, unless NO_COLOR is set") = {};
    RNNCHECK_FIELD(bool, ascii, "Print only ASCII characters") = false;
    RNNCHECK_FIELD(bool, show_private,
                   "Show user and host names, home directories, addresses, serial numbers and "
                   "secrets instead of "
                   "hiding them") = false;
    RNNCHECK_FIELD_AS(bool, verbose, "-v,--verbose", "Show all details") = false;
    RNNCHECK_FIELD_AS(bool, quiet, "-q,--quiet",
                      "Show only the verdict, in one line, without progress or warnings") = false;
    RNNCHECK_FIELD(FailOn, fail_on,
                   "With \"warning\": exit code 4 if there are warnings") = FailOn::error;
    RNNCHECK_FIELD(
        ExitStyle, exit_style,
        "With \"nagios\": exit code and, without --format, output of a monitoring plugin") =
        ExitStyle::plain;
    RNNCHECK_FIELDS_END

    // Set by begin_run().
    const Named<Format>* format = format_named("text");
    std::vector<OutputFile> outputs;
    RunStamp run;
    std::chrono::steady_clock::time_point started = {};

    /// For text printed on this descriptor: color if it is wanted and supported; only ASCII unless
    /// the locale is UTF-8 and TERM is not "dumb"; the width is COLUMNS or that of the terminal,
    /// 100 if there is no terminal.
    Style style(int descriptor = 1) const;
};

/// Call it once the command line is parsed: reads what the options name, and sets the level of
/// messages. UsageError if two options contradict each other.
void begin_run(const CLI::App& app, ReportOptions& options);

/// The document without private data, unless these are to be shown. Every document passes through
/// here.
template <class Document>
Document redacted_unless(bool show_private, Document document) {
    if (show_private)
        return document;
    return redact(std::move(document), this_machine());
}

/// The document as text or JSON, as the options require.
template <class Document>
std::string written(Document document, const ReportOptions& options) {
    document = redacted_unless(options.show_private, std::move(document));
    if (options.json)
        return json_text(document, options.style().json_lines);
    return text_of(document, options.style());
}

/// Text of --help or `rnncheck help` to stdout, its columns folded to the width of the terminal.
/// Gives the exit code.
int print_help(const std::string& help);

/// The redacted document with the time and options of the run and the age of its tables.
template <class Document>
Document finished(Document document, const ReportOptions& options) {
    stamp_run(document, document.tool, options);
    return redacted_unless(options.show_private, std::move(document));
}
void stamp_run(RunStamp& run, ToolStamp& tool, const ReportOptions& options);

/// Writes the files of --output; false if one could not be written, which is reported.
bool write_outputs(const Outline& outline, const ReportOptions& options);

/// Prints what finished() returned to stdout and to the files of --output. Returns the exit code,
/// which is `usage` if a file could not be written, or if `all_written` is false: a file that the
/// command itself writes was not.
int print_outline(Outline outline, const ReportOptions& options, bool all_written);
template <class Document>
int print_report(const Document& document, const ReportOptions& options, bool all_written = true) {
    return print_outline(outline_of(document), options, all_written);
}

/// 1 for problems, 3 for an undetermined verdict; for warnings 0, or 4 with FailOn::warning.
Exit exit_code(OverallVerdict verdict, FailOn fail_on);

/// A terminal that understands control codes: TERM is set and not "dumb".
bool is_capable_terminal(int descriptor);

}  // namespace rnncheck
