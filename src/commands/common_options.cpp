#include "commands/common_options.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>

#include "base/if_any.hpp"
#include "base/program.hpp"
#include "commands/input.hpp"
#include "report/text.hpp"
#include "stack/given.hpp"

namespace rnncheck {

namespace {

/// "--deadline=8", "--no-run" and, of arguments without a name, their values.
std::vector<std::string> options_given(const CLI::App& app) {
    std::vector<std::string> given;
    for (const CLI::Option* option : app.get_options()) {
        std::string name = option->get_name();
        if (option->get_positional())
            name.clear();
        if (option->count() == 0 || name == "--label")
            continue;  // labels are a member of the report of their own
        if (option->get_items_expected_max() == 0)
            given.push_back(name);
        else
            for (const std::string& value : option->results())
                given.push_back(if_any("", name, "=") + value);
    }
    return given;
}

/// A label becomes a key of metrics and of JSON, so its name has no other characters.
std::pair<std::string, std::string> label_from(const std::string& text) {
    const auto label = stack::split_given(text);
    const auto is_part = [](char c) {
        return is_letter_or_digit(c) || c == '_' || c == '-' || c == '.';
    };
    if (!label || label->key.empty() || label->value.empty() ||
        !std::ranges::all_of(label->key, is_part))
        throw UsageError(
            "--label cannot be '" + text +
            "'; give a name of letters, digits, '_', '-' and '.', and a value, e.g. node=gpu017");
    return {label->key, label->value};
}

/// The format that the ending of a file's name means: html of "report.html". Unset for other
/// endings.
std::optional<std::string> format_by_ending(const std::string& path) {
    constexpr std::pair<std::string_view, const char*> endings[] = {
        {".json", "json"},
        {".html", "html"},
        {".htm", "html"},
        {".md", "markdown"},
        {".markdown", "markdown"},
        {".xml", "junit"},
        {".csv", "csv"},
        {".prom", "prometheus"},
        {".txt", "text"}};
    const std::string lowered = lower(path);
    for (const auto& [ending, format] : endings)
        if (lowered.ends_with(ending))
            return format;
    return std::nullopt;
}

/// UsageError for what is neither a file nor a format with a file.
OutputFile output_from(const std::string& text) {
    const auto at = text.find('=');
    // `--output json` is a format without a file, not a file of that name.
    if (at == std::string::npos && !text.empty() && !find_named(all_formats(), text)) {
        OutputFile output{nullptr, text};
        if (const auto format = format_by_ending(text))
            output.format = format_named(*format);
        return output;
    }
    if (at == std::string::npos || at == 0 || at + 1 == text.size())
        throw UsageError(
            "--output cannot be '" + text + "'; give a format and a file, e.g. json=report.json");
    if (text.substr(at + 1) == "-")
        throw UsageError(
            "--output writes files; for standard output use --format " + text.substr(0, at));
    return {format_named(text.substr(0, at)), text.substr(at + 1)};
}

/// Where the locale is not UTF-8, or the terminal knows nothing but letters.
bool wants_ascii() {
    std::string locale;
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"})
        if (locale.empty())
            locale = lower(environment_variable(name).value_or(""));
    // The first that is set decides:
    // https://pubs.opengroup.org/onlinepubs/9699919799/basedefs/V1_chap08.html
    const bool is_utf8 = contains(locale, "utf-8") || contains(locale, "utf8");
    return !is_utf8 || environment_variable("TERM") == "dumb";
}

std::size_t columns_of_terminal(int descriptor) {
    constexpr std::size_t without_terminal = 100;
    std::size_t columns =
        leading_number<std::size_t>(environment_variable("COLUMNS").value_or("")).value_or(0);
    // COLUMNS wins, as in ls: a script can set it where there is no terminal.
    winsize size = {};
    if (columns == 0 && ::ioctl(descriptor, TIOCGWINSZ, &size) == 0)
        columns = size.ws_col;
    if (columns == 0)
        return without_terminal;
    return columns;
}

/// `automatic` is yes on a capable terminal or with CLICOLOR_FORCE, unless NO_COLOR is set to
/// anything (https://no-color.org) or CLICOLOR is 0 (https://bixense.com/clicolors).
bool wants_color(ColorChoice choice, int descriptor) {
    if (choice != ColorChoice::automatic)
        return choice == ColorChoice::always;
    if (!environment_variable("NO_COLOR").value_or("").empty())
        return false;
    const std::string force = environment_variable("CLICOLOR_FORCE").value_or("");
    if (!force.empty() && force != "0")
        return true;
    return environment_variable("CLICOLOR") != "0" && is_capable_terminal(descriptor);
}

/// Where the last column of a line of help begins; 0 where it has one only.
std::size_t last_column(std::string_view line) {
    constexpr std::size_t continued = 20;
    const std::size_t start = std::min(line.find_first_not_of(' '), line.size());
    if (start >= continued)
        return start;
    const std::size_t gap = line.rfind("  ");
    if (gap == std::string_view::npos || gap < start)
        return 0;
    return gap + 2;
}

}  // namespace

void add_matrix_option(CLI::App& app, std::string& directory) {
    app.add_option("--matrix", directory, "Use the compatibility tables in this directory")
        ->type_name("DIR")
        ->check(existing_directory());
}

void add_root_option(CLI::App& app, std::string& directory) {
    app.add_option(
           "--root", directory, "Examine the files below this directory, e.g. a mounted image")
        ->type_name("DIR")
        ->check(existing_directory());
}

/// The default is that of the command.
void add_deadline_option(CLI::App& app, std::optional<double>& deadline) {
    std::string usual = "none";
    if (deadline)
        usual = short_number(*deadline);
    app.add_option(
           "--deadline",
           deadline,
           "Time limit for the whole check, in seconds (default: " + usual + ")")
        ->type_name("S")
        ->check(seconds());
}

void add_rule_options(CLI::App& app, RuleOptions& options) {
    app.add_option("--only", options.only, "Run only these rules")
        ->type_name("ID")
        ->allow_extra_args(false);
    app.add_option("--skip", options.skip, "Skip these rules or probes")
        ->type_name("ID")
        ->allow_extra_args(false);
    app.add_option(
           "--ignore",
           options.ignore,
           "Report findings of these rules as notes; they do not affect the verdict")
        ->type_name("ID")
        ->allow_extra_args(false);
    add_matrix_option(app, options.matrix);
}

void add_json_option(CLI::App& app, ReportOptions& options) {
    app.add_flag("--json", options.json, "Print one JSON document");
}

// A list takes one value each time: in `report --label a=1 train.log` the second is an argument.
void add_file_options(CLI::App& app, ReportOptions& options) {
    app.add_option(
           "--output",
           options.output,
           "Also write the report to a file, e.g. json=report.json; of a file name alone, "
           "the ending chooses the format (.json, .html, .md, .xml, .csv, .prom, .txt), "
           "otherwise --format does; can be repeated")
        ->type_name("[F=]FILE")
        ->allow_extra_args(false);
    app.add_option(
           "--label",
           options.label,
           "Add a label to the report, e.g. node=gpu017; labels are not redacted")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
}

void add_style_options(CLI::App& app, ReportOptions& options) {
    add_choice(
        app,
        "--color",
        options.color,
        "Use color; auto means on a terminal, unless NO_COLOR is set");
    app.add_flag("--ascii", options.ascii, "Print only ASCII characters");
}

void add_privacy_option(CLI::App& app, ReportOptions& options) {
    app.add_flag(
        "--show-private",
        options.show_private,
        "Show user and host names, home directories, addresses, serial numbers and "
        "secrets instead of hiding them");
}

void add_verbose_option(CLI::App& app, ReportOptions& options) {
    app.add_flag("-v,--verbose", options.verbose, "Show all details");
}

void add_quiet_option(CLI::App& app, ReportOptions& options) {
    app.add_flag(
        "-q,--quiet",
        options.quiet,
        "Show only the verdict, in one line, without progress or warnings");
}

void add_report_options(CLI::App& app, ReportOptions& options) {
    app.add_option(
           "--format",
           options.format_name,
           "Format of the report: " + join_with_and(format_names()))
        ->type_name("F");
    add_json_option(app, options);
    add_file_options(app, options);
    add_style_options(app, options);
    add_privacy_option(app, options);
    add_verbose_option(app, options);
    add_quiet_option(app, options);
    add_choice(
        app, "--fail-on", options.fail_on, "With \"warning\": exit code 4 if there are warnings");
    add_choice(
        app,
        "--exit-style",
        options.exit_style,
        "With \"nagios\": exit code and, without --format, output of a monitoring plugin");
}

/// Marked as requested: rules report it as one that is to be installed, not as one that is there.
Framework parse_requested_framework(const std::string& text) {
    const auto named = stack::framework_from(text);
    if (!named || !named->version)
        throw UsageError(
            "--for cannot be '" + text +
            "'; give a framework and its version, e.g. tensorflow==2.15 or pytorch==2.4+cu124");
    Framework framework;
    framework.name = named->name;
    framework.version = named->version;
    framework.build = named->build;
    framework.requested = true;
    return framework;
}

Selection selection_from(
    const RuleOptions& rules,
    std::vector<std::string> require,
    const Profile& profile,
    const Matrix& matrix,
    std::set<std::string>& skipped_probes) {
    const auto known = [&] { return rule_names(matrix); };
    Selection selection;
    selection.allow_no_gpu = rules.allow_no_gpu;
    selection.only = ids_from(rules.only, "--only", "rule", known);
    // The profile has reasons, the command line none.
    selection.ignore = profile.ignore;
    for (const std::string& id : ids_from(rules.ignore, "--ignore", "rule", known))
        selection.ignore.emplace(id, "");
    append(require, profile.require);
    // Also where nothing was queried.
    if (profile.expect && profile.expect->names_versions())
        require.push_back("version_not_expected");
    if (profile.expect && profile.expect->names_gpus())
        require.push_back("gpus_not_expected");
    selection.require = ids_from(require, "--require", "rule", known);
    // --skip takes both kinds of names, because a report shows both.
    selection.skip = ids_from(
        rules.skip, "--skip", "rule or probe", [&] { return rule_and_probe_names(matrix); });
    for (const std::string& probe : probe_names())
        if (selection.skip.erase(probe) > 0)
            skipped_probes.insert(probe);
    const bool selects = !selection.only.empty() || !selection.skip.empty();
    if (selects && std::ranges::none_of(
                       known(), [&](const std::string& rule) { return selection.includes(rule); }))
        throw UsageError("--only and --skip exclude every rule, so nothing would be checked");
    // Else a gate would pass because what it requires was not looked at.
    for (const std::string& id : selection.require)
        if (!selection.includes(id))
            throw UsageError(
                "--skip or --only excludes " + id + ", which --require or the profile requires");
    return selection;
}

Style ReportOptions::style(int descriptor) const {
    JsonLines json_lines = JsonLines::one;
    if (isatty(descriptor) != 0)
        json_lines = JsonLines::indented;  // a person reads it
    return {
        .color = wants_color(color, descriptor),
        .verbose = verbose,
        .quiet = quiet,
        .ascii = ascii || wants_ascii(),
        .json_lines = json_lines,
        .width = columns_of_terminal(descriptor)};
}

int print_help(const std::string& help) {
    // CLI11 folds to a width of its own; the columns that it made are kept.
    Page page(ReportOptions().style());
    constexpr std::size_t least = 30;
    std::string text = help;
    replace_all(text, "\n\n\n", "\n\n");  // before a group
    for (const std::string& line : split(text, '\n')) {
        const std::size_t column = last_column(line);
        if (column == 0 && (line.starts_with(' ') || line.empty()))
            page.line(line);
        else if (column == 0)
            page.wrap("", line);
        else if (column + least <= page.width())
            page.wrap(line.substr(0, column), line.substr(column));
        else {
            const std::string first(line.substr(0, line.find_last_not_of(' ', column - 1) + 1));
            if (!first.empty())
                page.line(first);
            page.wrap("      ", line.substr(column));
        }
    }
    print_document(page.text());
    return healthy;
}

void begin_run(const CLI::App& app, ReportOptions& options) {
    reject_together(app, "--quiet", {"--verbose"}, "one shortens the report, the other extends it");
    reject_together(app, "--json", {"--format"}, "standard output carries one document");
    // Monitors read the first line of the output, which has a form of its own.
    const bool is_plugin = options.exit_style == ExitStyle::nagios && !is_given(app, "--format");
    std::string format = options.format_name;
    if (is_plugin)
        format = "nagios";
    if (options.json)
        format = "json";
    options.format = format_named(format);
    for (const std::string& text : options.output) {
        const OutputFile output = output_from(text);
        // /dev/stderr may well get two reports.
        if (find_by(options.outputs, &OutputFile::path, output.path) &&
            !output.path.starts_with("/dev/"))
            throw UsageError(
                "--output names '" + output.path +
                "' twice: the second report would replace the first");
        options.outputs.push_back(output);
    }
    for (const std::string& text : options.label)
        if (!options.run.labels.insert(label_from(text)).second)
            throw UsageError(
                "--label " + text + ": this label was given before; give each name once");
    if (options.verbose)
        log::set_level(log::Level::verbose);
    if (options.quiet)
        log::set_level(log::Level::quiet);
    // The report states with which options it was made, and how long that took.
    options.started = std::chrono::steady_clock::now();
    options.run.run_at = utc_time(std::chrono::system_clock::now());
    // "matrix check", but not "rnncheck doctor".
    const CLI::App* parent = app.get_parent();
    std::string command = app.get_name();
    if (parent && parent->get_parent())
        command = parent->get_name() + ' ' + command;
    options.run.command = command;
    options.run.options = options_given(app);
}

void stamp_run(RunStamp& run, ToolStamp& tool, const ReportOptions& options) {
    run = options.run;
    const std::chrono::duration<double, std::milli> elapsed =
        std::chrono::steady_clock::now() - options.started;
    run.duration_ms = std::round(elapsed.count());
    // Documents that no tables have stamped are made with those built in.
    if (tool.matrix_date.empty()) {
        const TableFiles files = bundled_table_files();
        tool = stamp_with(files.date, files.digest);
    } else {
        tool = stamp_with(tool.matrix_date, tool.matrix_digest);
    }
}

bool write_outputs(const Outline& outline, const ReportOptions& options) {
    // A file is read by programs, whatever this terminal can show.
    Style in_file = options.style();
    in_file.color = false;
    in_file.json_lines = JsonLines::one;
    bool all_written = true;
    for (const OutputFile& output : options.outputs)
        all_written &= was_written([&] {
            const Named<Format>* format = options.format;
            if (output.format)
                format = output.format;
            write_output(output.path, (*format)->write(outline, in_file));
        });
    return all_written;
}

int print_outline(Outline outline, const ReportOptions& options, bool all_written) {
    all_written &=
        write_outputs(outline, options);  // first: a full standard output must not cost them
    const bool is_plugin = options.exit_style == ExitStyle::nagios;
    // A monitor reads one line and the exit code, so the line must state why it is UNKNOWN.
    if (is_plugin && !all_written) {
        outline.verdict = OverallVerdict::undetermined;
        outline.sentence = "an output could not be written; " + outline.sentence;
    }
    print_document((*options.format)->write(outline, options.style()));
    if (is_plugin)
        return static_cast<int>(outline.verdict);  // OK, WARNING, CRITICAL, UNKNOWN
    if (all_written)
        return exit_code(outline.verdict, options.fail_on);
    return usage;
}

Exit exit_code(OverallVerdict verdict, FailOn fail_on) {
    if (verdict == OverallVerdict::warnings && fail_on == FailOn::warning)
        return warned;
    // By OverallVerdict: healthy, warnings, problems, undetermined.
    constexpr Exit codes[] = {healthy, healthy, problem, undetermined};
    return codes[static_cast<std::size_t>(verdict)];
}

/// A pipe, a file or a terminal of an editor gets no control codes.
bool is_capable_terminal(int descriptor) {
    const std::string terminal = environment_variable("TERM").value_or("");
    return isatty(descriptor) != 0 && !terminal.empty() && terminal != "dumb";
}

}  // namespace rnncheck
