#include "commands/common_options.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <memory>

#include "base/program.hpp"
#include "commands/tables.hpp"
#include "compat/given.hpp"
#include "report/text.hpp"

namespace rnncheck {

namespace {

void add_terminal_options(CLI::App& app, DocumentOptions& options) {
    add_choice<ColorChoice>(app, "--color", "Use color; auto means on a terminal, unless NO_COLOR is set",
                            into(options.color));
    add_flag(app, "--ascii", options.ascii, "Print only ASCII characters");
}

void declare_text_part(CLI::App& app, ReportOptions& options) {
    add_terminal_options(app, options);
    add_private_option(app, options.show_private);
    add_verbose_option(app, options.verbose);
    add_flag(app, "-q,--quiet", options.quiet, "Show only the verdict, in one line, without progress and warnings");
}

/// "--deadline=8", "--no-run" and, of arguments without a name, their values.
std::vector<std::string> options_given(const CLI::App& app) {
    std::vector<std::string> given;
    for (const CLI::Option* option : app.get_options()) {
        const std::string name = option->get_positional() ? "" : option->get_name();
        if (option->count() == 0 || name == "--label") continue;
        if (option->get_items_expected_max() == 0)
            given.push_back(name);
        else
            for (const std::string& value : option->results())
                given.push_back(name.empty() ? value : name + '=' + value);
    }
    return given;
}

void begin_run(const CLI::App& app, ReportOptions& options) {
    refuse_together(app, "--quiet", "--verbose", "one shortens the report, the other extends it");
    if (options.verbose) log::set_level(log::Level::verbose);
    if (options.quiet) log::set_level(log::Level::quiet);
    options.started = std::chrono::steady_clock::now();
    options.run.run_at = utc_time(std::chrono::system_clock::now());
    const CLI::App* parent = app.get_parent();
    options.run.command = (parent && parent->get_parent() ? parent->get_name() + ' ' : "") + app.get_name();
    options.run.options = options_given(app);
}

std::pair<std::string, std::string> label_from(const std::string& text) {
    const auto label = split_given(text);
    const auto is_part = [](char c) { return is_letter_or_digit(c) || c == '_' || c == '-' || c == '.'; };
    if (!label || label->key.empty() || label->value.empty() || !std::ranges::all_of(label->key, is_part))
        throw UsageError("--label cannot be '" + text +
                         "'; give a name of letters, digits, '_', '-' and '.', and a value, e.g. node=gpu017");
    return {label->key, label->value};
}

OutputFile output_from(const std::string& text) {
    const auto at = text.find('=');
    if (at == std::string::npos && !text.empty() && !find_named(all_formats(), text)) return {nullptr, text};
    if (at == std::string::npos || at == 0 || at + 1 == text.size())
        throw UsageError("--output cannot be '" + text + "'; give a format and a file, e.g. json=report.json");
    if (text.substr(at + 1) == "-")
        throw UsageError("--output writes files; for standard output use --format " + text.substr(0, at));
    return {format_named(text.substr(0, at)), text.substr(at + 1)};
}

/// Where the locale is not UTF-8, or the terminal knows nothing but letters.
bool wants_ascii() {
    std::string locale;
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"})
        if (locale.empty()) locale = lower(environment_variable(name).value_or(""));
    const bool is_utf8 = contains(locale, "utf-8") || contains(locale, "utf8");
    return !is_utf8 || environment_variable("TERM") == "dumb";
}

std::size_t columns_of_terminal(int descriptor) {
    constexpr std::size_t without_terminal = 100;
    const std::string written = environment_variable("COLUMNS").value_or("");
    std::size_t columns = 0;
    std::from_chars(written.data(), written.data() + written.size(), columns);
    winsize size = {};
    if (columns == 0 && ::ioctl(descriptor, TIOCGWINSZ, &size) == 0) columns = size.ws_col;
    return columns == 0 ? without_terminal : columns;
}

/// `automatic` is yes on a capable terminal or with CLICOLOR_FORCE, unless NO_COLOR is set to anything
/// (https://no-color.org) or CLICOLOR is 0 (https://bixense.com/clicolors).
bool wants_color(ColorChoice choice, int descriptor) {
    if (choice != ColorChoice::automatic) return choice == ColorChoice::always;
    if (!environment_variable("NO_COLOR").value_or("").empty()) return false;
    const std::string force = environment_variable("CLICOLOR_FORCE").value_or("");
    if (!force.empty() && force != "0") return true;
    return environment_variable("CLICOLOR") != "0" && is_capable_terminal(descriptor);
}

/// Where the last column of a line of help begins; 0 where it has one only.
std::size_t last_column(std::string_view line) {
    constexpr std::size_t continued = 20;
    const std::size_t start = std::min(line.find_first_not_of(' '), line.size());
    if (start >= continued) return start;
    const std::size_t gap = line.rfind("  ");
    return gap == std::string_view::npos || gap < start ? 0 : gap + 2;
}

template <class Number>
Number number_from(const std::string& option, const std::string& text, Number least, Number most,
                   const std::string& wanted) {
    Number number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || !(least <= number && number <= most))
        throw UsageError(option + " cannot be '" + text + "'; give " + wanted);
    return number;
}

/// Several times, each with one value.
void add_repeated(CLI::App& app, const char* name, std::function<void(const std::string&)> take, const char* about,
                  const char* type) {
    app.add_option_function<std::vector<std::string>>(
           name, [=](const std::vector<std::string>& texts) { std::ranges::for_each(texts, take); }, about)
        ->allow_extra_args(false)
        ->type_name(type);
}

}  // namespace

void add_option(CLI::App& app, const std::string& name, std::function<void(const std::string&)> take,
                const std::string& about, const std::string& type) {
    app.add_option_function<std::string>(
           name,
           [=](const std::string& text) {
               if (text.empty()) throw UsageError(name + " needs a value: give " + type);
               take(text);
           },
           about)
        ->type_name(type);
}

void add_number(CLI::App& app, const std::string& name, std::function<void(double)> take, double most,
                const std::string& about, const std::string& type, const std::string& wanted) {
    constexpr double least = std::numeric_limits<double>::denorm_min();
    add_option(
        app, name, [=](const std::string& text) { take(number_from(name, text, least, most, wanted)); }, about, type);
}

void add_whole_number(CLI::App& app, const std::string& name, std::function<void(int)> take, int least, int most,
                      const std::string& about) {
    add_option(
        app, name, [=](const std::string& text) { take(whole_number_from(name, text, least, most)); }, about, "N");
}

int whole_number_from(const std::string& option, const std::string& text, int least, int most) {
    return number_from(option, text, least, most,
                       "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
}

void add_flag(CLI::App& app, const char* name, bool& into, const char* about) {
    app.add_flag(name, into, about)->disable_flag_override();
}

void add_list(CLI::App& app, const char* name, std::vector<std::string>& into, const char* about, const char* type) {
    app.add_option(name, into, about)->allow_extra_args(false)->type_name(type);
}

void begin_group(CLI::App& app, const char* heading) {
    app.option_defaults()->group(heading);
}

void add_json_option(CLI::App& app, bool& json) {
    add_flag(app, "--json", json, "Print one JSON document");
}

void add_directory(CLI::App& app, const std::string& name, std::string& into, const std::string& about) {
    app.add_option(name, into, about)
        ->check(CLI::Validator(CLI::ExistingDirectory).description(""))
        ->type_name(name.starts_with('-') ? "DIR" : "");
}

void add_matrix_option(CLI::App& app, std::string& directory) {
    add_directory(app, "--matrix", directory, "Use the compatibility tables in this directory");
}

void add_root_option(CLI::App& app, std::string& directory) {
    add_directory(app, "--root", directory, "Examine the files below this directory, e.g. a mounted image");
}

void add_deadline_option(CLI::App& app, std::optional<double>& seconds, const char* without) {
    constexpr double a_year = 31'536'000;
    add_number(app, "--deadline", into(seconds), a_year,
               "Time limit for the whole check, in seconds (default: " + std::string(without) + ")", "S",
               "seconds above 0 and up to 31536000 (a year), e.g. 10 or 0.5");
}

void add_private_option(CLI::App& app, bool& show_private) {
    add_flag(
        app, "--show-private", show_private,
        "Show user and host names, home directories, addresses, serial numbers and secrets instead of hiding them");
}

void add_verbose_option(CLI::App& app, bool& verbose) {
    add_flag(app, "-v,--verbose", verbose, "Show all details");
}

void add_rule_options(CLI::App& app, RuleOptions& rules) {
    add_list(app, "--only", rules.only, "Run only these rules", "ID");
    add_list(app, "--skip", rules.skip, "Skip these rules or probes", "ID");
    add_list(app, "--ignore", rules.ignore, "Report findings of these rules as notes; they do not affect the verdict",
             "ID");
    add_matrix_option(app, rules.matrix_directory);
}

Framework framework_asked_for(const std::string& text) {
    auto framework = framework_from(text);
    if (!framework || !framework->version)
        throw UsageError("--for cannot be '" + text +
                         "'; give a framework and its version, e.g. tensorflow==2.15 or pytorch==2.4+cu124");
    framework->asked = true;
    return *framework;
}

Selection selection_from(const RuleOptions& rules, std::set<std::string>& skipped_probes) {
    std::optional<Matrix> tables;
    const auto matrix = [&]() -> const Matrix& {
        return tables ? *tables : tables.emplace(matrix_from(rules.matrix_directory));
    };
    const auto known = [&] { return rule_names(matrix()); };
    Selection selection;
    selection.only = ids_from(rules.only, "--only", "rule", known);
    selection.ignore = rules.ignored_because;
    for (const std::string& id : ids_from(rules.ignore, "--ignore", "rule", known)) selection.ignore.emplace(id, "");
    selection.require = ids_from(rules.require, "--require", "rule", known);
    selection.skip = ids_from(rules.skip, "--skip", "rule or probe", [&] { return rule_and_probe_names(matrix()); });
    for (const std::string& probe : probe_names())
        if (selection.skip.erase(probe) > 0) skipped_probes.insert(probe);
    const bool selects = !selection.only.empty() || !selection.skip.empty();
    if (selects && std::ranges::none_of(known(), [&](const std::string& rule) { return selection.includes(rule); }))
        throw UsageError("--only and --skip exclude every rule, so nothing would be checked");
    for (const std::string& id : selection.require)
        if (!selection.includes(id))
            throw UsageError("--skip or --only excludes " + id + ", which --require or the profile requires");
    return selection;
}

Style DocumentOptions::style(int descriptor) const {
    return {.color = wants_color(color, descriptor),
            .verbose = verbose,
            .quiet = quiet,
            .ascii = ascii || wants_ascii(),
            .json_lines = isatty(descriptor) != 0 ? JsonLines::indented : JsonLines::one,
            .width = columns_of_terminal(descriptor)};
}

int print_help(const std::string& help) {
    Page page(DocumentOptions{.color = ColorChoice::never}.style());
    constexpr std::size_t least = 30;
    for (const std::string& line : split(help, '\n')) {
        const std::size_t column = last_column(line);
        if (column == 0)
            line.starts_with(' ') || line.empty() ? page.line(line) : page.wrap("", line);
        else if (column + least <= page.width())
            page.wrap(line.substr(0, column), line.substr(column));
        else {
            const std::string first(line.substr(0, line.find_last_not_of(' ', column - 1) + 1));
            if (!first.empty()) page.line(first);
            page.wrap("      ", line.substr(column));
        }
    }
    print_document(page.text());
    return healthy;
}

void add_document_options(CLI::App& app, DocumentOptions& options) {
    add_json_option(app, options.json);
    add_terminal_options(app, options);
}

std::function<ReportOptions()> declare_report_options(CLI::App& app) {
    const auto options = std::make_shared<ReportOptions>();
    add_option(
        app, "--format", [options](const std::string& name) { options->format = format_named(name); },
        "Format of the report: " + join_with_and(format_names()), "F");
    add_json_option(app, options->json);
    add_repeated(
        app, "--output",
        [options](const std::string& text) {
            const OutputFile output = output_from(text);
            if (find_by(options->outputs, &OutputFile::path, output.path) && !output.path.starts_with("/dev/"))
                throw UsageError("--output names '" + output.path +
                                 "' twice: the second report would replace the first");
            options->outputs.push_back(output);
        },
        "Also write the report to a file, e.g. json=report.json; a name alone gets the format of --format; can be "
        "repeated",
        "[F=]FILE");
    add_repeated(
        app, "--label",
        [options](const std::string& text) {
            if (!options->run.labels.insert(label_from(text)).second)
                throw UsageError("--label " + text + ": this label was given before; give each name once");
        },
        "Add a label to the report, e.g. node=gpu017; labels are not redacted", "KEY=VALUE");
    declare_text_part(app, *options);
    add_choice<FailOn>(app, "--fail-on", "With \"warning\": exit code 4 if there are warnings", into(options->fail_on));
    add_choice<ExitStyle>(app, "--exit-style",
                          "With \"nagios\": exit code and, without --format, output of a monitoring plugin",
                          into(options->exit_style));
    return [options, &app] {
        refuse_together(app, "--json", "--format", "standard output carries one document");
        if (options->json) options->format = format_named("json");
        const bool is_chosen = options->json || app.count("--format") > 0;
        if (options->exit_style == ExitStyle::nagios && !is_chosen) options->format = format_named("nagios");
        begin_run(app, *options);
        return *options;
    };
}

std::function<ReportOptions()> declare_text_options(CLI::App& app) {
    const auto options = std::make_shared<ReportOptions>();
    declare_text_part(app, *options);
    return [options, &app] {
        begin_run(app, *options);
        return *options;
    };
}

void refuse_together(const CLI::App& app, const std::string& one, const std::string& other, const std::string& why) {
    if (app.count(one) > 0 && app.count(other) > 0)
        throw UsageError(one + " and " + other + " cannot be used together: " + why);
}

void stamp_run(RunStamp& run, ToolStamp& tool, const ReportOptions& options) {
    run = options.run;
    const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - options.started;
    run.duration_ms = std::round(elapsed.count());
    tool = stamp_with(tool.matrix_date, tool.matrix_digest);
}

int print_outline(Outline outline, const ReportOptions& options, bool all_written) {
    Style in_file = options.style();
    in_file.color = false;
    in_file.json_lines = JsonLines::one;
    for (const OutputFile& output : options.outputs)  // first: a full standard output must not cost them
        all_written &= was_written([&] {
            write_output(output.path, (*(output.format ? output.format : options.format))->write(outline, in_file));
        });
    const bool is_plugin = options.exit_style == ExitStyle::nagios;
    if (is_plugin && !all_written) {
        outline.verdict = OverallVerdict::undetermined;
        outline.sentence = "an output could not be written; " + outline.sentence;
    }
    print_document((*options.format)->write(outline, options.style()));
    if (is_plugin) return static_cast<int>(outline.verdict);  // OK, WARNING, CRITICAL, UNKNOWN
    return all_written ? exit_code(outline.verdict, options.fail_on) : usage;
}

Exit exit_code(OverallVerdict verdict, FailOn fail_on) {
    if (verdict == OverallVerdict::warnings && fail_on == FailOn::warning) return warned;
    constexpr Exit codes[] = {healthy, healthy, problem, undetermined};
    return codes[static_cast<std::size_t>(verdict)];
}

bool is_capable_terminal(int descriptor) {
    const std::string terminal = environment_variable("TERM").value_or("");
    return isatty(descriptor) != 0 && !terminal.empty() && terminal != "dumb";
}

}  // namespace rnncheck
