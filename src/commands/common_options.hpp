// Options that several commands have: declared, explained and checked once, with one meaning
// everywhere. A group of options is a structure with their values and a function that declares them
// in the order of --help.
#pragma once

#include <chrono>

#include "commands/command.hpp"
#include "commands/names.hpp"
#include "commands/options.hpp"
#include "commands/output.hpp"
#include "judge.hpp"
#include "report/outline.hpp"

namespace rnncheck {

/// --matrix; empty for the tables that are built into rnncheck.
void add_matrix_option(CLI::App& app, std::string& directory);

/// --root; empty for the running system.
void add_root_option(CLI::App& app, std::string& directory);

/// --deadline in seconds; without a value there is no limit.
void add_deadline_option(CLI::App& app, std::optional<double>& deadline);

/// Which rules to run, and with which tables. The lists are as the user wrote them: an entry may be
/// several ids with commas, or unknown; selection_from() reads them.
struct RuleOptions {
    std::vector<std::string> only, skip, ignore;
    std::string matrix;         ///< directory of tables; empty for those built in
    bool allow_no_gpu = false;  ///< for commands that examine a machine
};

/// --only, --skip, --ignore and --matrix.
void add_rule_options(CLI::App& app, RuleOptions& options);

/// The framework version that --for names. UsageError if the text is not a framework with a
/// version.
Framework parse_requested_framework(const std::string& text);

/// The rules to run, with those that --require and a profile add. UsageError for an unknown id, and
/// if no rule is left. Adds the probes among --skip to `skipped_probes`.
Selection selection_from(
    const RuleOptions& rules,
    std::vector<std::string> require,
    const Profile& profile,
    const Matrix& matrix,
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
    std::string format_name = "text";
    bool json = false;
    std::vector<std::string> output;  ///< "json=report.json", "report.html"
    std::vector<std::string> label;   ///< "node=gpu017"
    ColorChoice color = ColorChoice::automatic;
    bool ascii = false;
    bool show_private = false;
    bool verbose = false;
    bool quiet = false;
    FailOn fail_on = FailOn::error;
    ExitStyle exit_style = ExitStyle::plain;

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

/// All options of a report.
void add_report_options(CLI::App& app, ReportOptions& options);

// Some of them, for documents that are no reports.
void add_json_option(CLI::App& app, ReportOptions& options);
void add_file_options(CLI::App& app, ReportOptions& options);   ///< --output and --label
void add_style_options(CLI::App& app, ReportOptions& options);  ///< --color and --ascii
void add_privacy_option(CLI::App& app, ReportOptions& options);
void add_verbose_option(CLI::App& app, ReportOptions& options);
void add_quiet_option(CLI::App& app, ReportOptions& options);

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
