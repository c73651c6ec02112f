// Options that several commands have: declared, explained and checked once, with one meaning everywhere.
#pragma once

#include <CLI/CLI.hpp>

#include "commands/command.hpp"
#include "judge.hpp"
#include "report/format.hpp"

namespace rnncheck {

enum class FailOn { error, warning, never };
RNNCHECK_ENUM_NAMES(FailOn, "error", "warning", "never")

enum class ColorChoice { automatic, always, never };
RNNCHECK_ENUM_NAMES(ColorChoice, "auto", "always", "never")

/// An option with one value, which may not be empty.
void add_option(CLI::App& app, const char* name, std::string& into, const std::string& about, const char* type);

/// Takes no value: --json=3 is rejected.
void add_flag(CLI::App& app, const char* name, bool& into, const char* about);

/// An option that may be given several times.
void add_list(CLI::App& app, const char* name, std::vector<std::string>& into, const char* about, const char* type);

/// The heading of --help under which the options declared from now on are listed.
void begin_group(CLI::App& app, const char* heading);

void add_json_option(CLI::App& app, bool& json);
void add_matrix_option(CLI::App& app, std::string& directory);
void add_root_option(CLI::App& app, std::string& directory);
void add_deadline_option(CLI::App& app, std::string& seconds, const char* without);
void add_private_option(CLI::App& app, bool& show_private);
void add_rule_options(CLI::App& app, std::vector<std::string>& only, std::vector<std::string>& skip,
                      std::vector<std::string>& ignore);

/// How a report is written, and what its exit code is.
struct ReportOptions {
    const Named<Format>* format = nullptr;
    FailOn fail_on = FailOn::error;
    ColorChoice color = ColorChoice::automatic;
    bool show_private = false, verbose = false, quiet = false;
};

/// Declares --format, --json, --color, --show-private, -v, -q and --fail-on. The result reads them once the command
/// line is parsed, and sets the level of messages; UsageError where a word does not exist or two contradict each other.
std::function<ReportOptions()> declare_report_options(CLI::App& app);

/// Those of them that are about text alone: without --format, --json and --fail-on.
std::function<ReportOptions()> declare_text_options(CLI::App& app);

/// UsageError "A and B cannot be used together: why".
void refuse_together(const CLI::App& app, const std::string& one, const std::string& other, const std::string& why);

/// InputError naming `option` where a directory is given and does not exist.
void require_directory(const std::string& path, const std::string& option);

/// The tables in `directory`, or the bundled ones where it is empty.
Matrix matrix_from(const std::string& directory);

/// Seconds; unset for an empty text. UsageError when it is no number above 0 and up to a year.
std::optional<double> seconds_from(const std::string& text, const std::string& option);

std::string report_as_text(const Report& report, const Named<Format>& format, const ReportOptions& options, bool color);

/// Without what is private, unless that is to be shown.
Report redacted_unless(bool show_private, Report report);

/// To stdout, without what is private unless the options ask for it; the exit code.
int print_report(Report report, const ReportOptions& options);

/// The same of a report that redacted_unless() gave.
int print_redacted(const Report& report, const ReportOptions& options);

/// Problems always give 1 and an open verdict 3; warnings give 0, or 4 when they are to fail.
Exit exit_code(OverallVerdict verdict, FailOn fail_on);

/// Colour, characters and width of text printed there: ASCII alone unless the locale is UTF-8 and TERM is not "dumb";
/// COLUMNS or the terminal's columns, 100 where there is no terminal.
Style style_on(int descriptor);

/// A terminal that understands control codes: TERM is set and not "dumb".
bool is_capable_terminal(int descriptor);

/// `automatic` is yes on a capable terminal unless NO_COLOR is set to anything (no-color.org).
bool wants_color(ColorChoice choice, int descriptor);

}  // namespace rnncheck
