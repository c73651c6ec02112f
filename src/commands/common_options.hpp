// Options that several commands have: declared, explained and checked once, with one meaning everywhere.
#pragma once

#include <CLI/CLI.hpp>

#include "base/text.hpp"
#include "commands/command.hpp"
#include "commands/ids.hpp"
#include "commands/output.hpp"
#include "judge.hpp"
#include "report/outline.hpp"

namespace rnncheck {

RNNCHECK_ENUM(FailOn, error, warning, never)

enum class ColorChoice { automatic, always, never };
RNNCHECK_ENUM_NAMES(ColorChoice, "auto", "always", "never")

/// Takes the value of an option there.
template <class T>
auto into(T& place) {
    return [&place](const auto& value) { place = value; };
}

/// An option with one value, which may not be empty: an unset shell variable must not count as no option.
void add_option(CLI::App& app, const std::string& name, std::function<void(const std::string&)> take,
                const std::string& about, const std::string& type);

/// An option whose value is a name of the enumeration. UsageError names the option and all values.
template <NamedEnum E, class Take>
void add_choice(CLI::App& app, const std::string& name, const std::string& about, Take take) {
    const auto names = names_of(E{});
    add_option(
        app, name, [=](const std::string& word) { take(word_from<E>(word, name)); }, about,
        join({names.begin(), names.end()}, "|"));
}

/// A number above 0 and at most `most`; UsageError "--clip cannot be 'x'; give a number above 0", `wanted` being the
/// end.
void add_number(CLI::App& app, const std::string& name, std::function<void(double)> take, double most,
                const std::string& about, const std::string& type, const std::string& wanted);

/// UsageError "--device cannot be 'x'; give a whole number from 0 to 9".
void add_whole_number(CLI::App& app, const std::string& name, std::function<void(int)> take, int least, int most,
                      const std::string& about);
int whole_number_from(const std::string& option, const std::string& text, int least, int most);

/// Takes no value: --json=3 is rejected.
void add_flag(CLI::App& app, const char* name, bool& into, const char* about);

/// An option that may be given several times.
void add_list(CLI::App& app, const char* name, std::vector<std::string>& into, const char* about, const char* type);

/// The heading of --help under which the options declared from now on are listed.
void begin_group(CLI::App& app, const char* heading);

/// An option or positional whose value is an existing directory.
void add_directory(CLI::App& app, const std::string& name, std::string& into, const std::string& about);

void add_json_option(CLI::App& app, bool& json);
void add_matrix_option(CLI::App& app, std::string& directory);
void add_root_option(CLI::App& app, std::string& directory);
void add_deadline_option(CLI::App& app, std::optional<double>& seconds, const char* without);
void add_private_option(CLI::App& app, bool& show_private);

/// Rules as given by --only, --skip, --ignore and, where a command has it, --require; and the tables that they are
/// asked with.
struct RuleOptions {
    std::vector<std::string> only, skip, ignore, require;
    TextMap ignored_because;  ///< those that a profile ignores, with the reason
    std::string matrix_directory;
};
void add_rule_options(CLI::App& app, RuleOptions& rules);

/// What --for names. UsageError when it is no framework with a version.
Framework framework_asked_for(const std::string& text);

/// UsageError for an id that does not exist, and where no rule is left. Adds the probes among --skip to
/// `skipped_probes`.
Selection selection_from(const RuleOptions& rules, std::set<std::string>& skipped_probes);

/// How a document is written: --json, --color, -v, -q, --show-private, --ascii.
struct DocumentOptions {
    ColorChoice color = ColorChoice::automatic;
    bool json = false, verbose = false, quiet = false, ascii = false;
    bool show_private = false;  ///< set also where a document can hold nothing private: it takes time to look

    /// For text printed there: colours where they are wanted and understood; ASCII alone unless the locale is UTF-8 and
    /// TERM is not "dumb"; COLUMNS or the terminal's columns, 100 where there is no terminal.
    Style style(int descriptor = 1) const;
};
void add_document_options(CLI::App& app, DocumentOptions& options);
/// -v.
void add_verbose_option(CLI::App& app, bool& verbose);

/// Without what is private, unless that is to be shown. Every document passes here.
template <class Document>
Document redacted_unless(bool show_private, Document document) {
    return show_private ? document : redact(std::move(document), this_machine());
}

/// The document as they say.
template <class Document>
std::string written(Document document, const DocumentOptions& options) {
    document = redacted_unless(options.show_private, std::move(document));
    return options.json ? json_text(document, options.style().json_lines) : text_of(document, options.style());
}

/// Text of --help or `rnncheck help` to stdout, its columns folded to the width of the terminal. Gives the exit code.
int print_help(const std::string& help);

/// Exit codes of rnncheck, or those of monitoring plugins: 0 OK, 1 warnings, 2 problems, 3 unknown.
RNNCHECK_ENUM(ExitStyle, plain, nagios)

/// A second copy of the report: `--output json=report.json`.
struct OutputFile {
    const Named<Format>* format = nullptr;  ///< null: that of standard output
    std::string path;
};

/// How a report is written, and what its exit code is.
struct ReportOptions : DocumentOptions {
    const Named<Format>* format = format_named("text");
    std::vector<OutputFile> outputs;
    FailOn fail_on = FailOn::error;
    ExitStyle exit_style = ExitStyle::plain;
    RunStamp run;
    std::chrono::steady_clock::time_point started = {};
};

/// Declares --format, --json, --output, --label, --color, --show-private, -v, -q, --fail-on and --exit-style. The
/// result reads them once the command line is parsed, and sets the level of messages; UsageError where two contradict
/// each other.
std::function<ReportOptions()> declare_report_options(CLI::App& app);

/// Those of them that are about text alone: without --format, --json, --output and --fail-on.
std::function<ReportOptions()> declare_text_options(CLI::App& app);

/// UsageError "A and B cannot be used together: why", where both are given.
void refuse_together(const CLI::App& app, const std::string& one, const std::string& other, const std::string& why);

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
