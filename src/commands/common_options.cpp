#include "commands/common_options.hpp"

#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <memory>
#include <sstream>
#include <stdexcept>

#include "base/program.hpp"
#include "base/text.hpp"
#include "commands/identity.hpp"
#include "commands/ids.hpp"
#include "commands/output.hpp"
#include "report/redact.hpp"

namespace rnncheck {

namespace {

/// As written on the command line.
struct WrittenOptions {
    std::string format = "text", color = "auto", fail_on = "error";
    bool json = false, show_private = false, verbose = false, quiet = false;
};

void declare_text_part(CLI::App& app, WrittenOptions& written) {
    add_option(app, "--color", written.color, "Use color; auto means on a terminal, unless NO_COLOR is set",
               "auto|always|never");
    add_private_option(app, written.show_private);
    add_flag(app, "-v,--verbose", written.verbose, "Show all details");
    add_flag(app, "-q,--quiet", written.quiet, "Show only the verdict, in one line");
}

ReportOptions checked(const CLI::App& app, const WrittenOptions& written) {
    refuse_together(app, "--quiet", "--verbose", "they ask for the opposite");
    if (written.verbose) log::set_level(log::Level::verbose);
    return {.format = format_named(written.json ? "json" : written.format),
            .fail_on = word_from<FailOn>(written.fail_on, "--fail-on"),
            .color = word_from<ColorChoice>(written.color, "--color"),
            .show_private = written.show_private,
            .verbose = written.verbose,
            .quiet = written.quiet};
}

/// Where the locale is not UTF-8, or the terminal knows nothing but letters.
bool wants_ascii() {
    std::string locale;
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"})
        if (locale.empty()) locale = lower(environment_variable(name).value_or(""));
    const bool is_utf8 = contains(locale, "utf-8") || contains(locale, "utf8");
    return !is_utf8 || environment_variable("TERM") == "dumb";
}

/// COLUMNS, the width of the terminal, or 100 where there is none.
std::size_t columns_of_terminal(int descriptor) {
    constexpr std::size_t without_terminal = 100;
    const std::string written = environment_variable("COLUMNS").value_or("");
    std::size_t columns = 0;
    std::from_chars(written.data(), written.data() + written.size(), columns);
    winsize size = {};
    if (columns == 0 && ::ioctl(descriptor, TIOCGWINSZ, &size) == 0) columns = size.ws_col;
    return columns == 0 ? without_terminal : columns;
}

}  // namespace

void add_option(CLI::App& app, const char* name, std::string& into, const std::string& about, const char* type) {
    app.add_option(name, into, about)
        ->check([](const std::string& text) { return text.empty() ? std::string("needs a value") : std::string(); })
        ->type_name(type);
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

void add_matrix_option(CLI::App& app, std::string& directory) {
    add_option(app, "--matrix", directory, "Use the compatibility tables in this directory", "DIR");
}

void add_root_option(CLI::App& app, std::string& directory) {
    add_option(app, "--root", directory, "Examine the files below this directory, e.g. a mounted image", "DIR");
}

void add_deadline_option(CLI::App& app, std::string& seconds, const char* without) {
    add_option(app, "--deadline", seconds,
               "Time limit for the whole check, in seconds (default: " + std::string(without) + ")", "S");
}

void add_private_option(CLI::App& app, bool& show_private) {
    add_flag(app, "--show-private", show_private,
             "Keep user names, host names, home directories, serial numbers and UUIDs in the output");
}

void add_rule_options(CLI::App& app, std::vector<std::string>& only, std::vector<std::string>& skip,
                      std::vector<std::string>& ignore) {
    add_list(app, "--only", only, "Run only these rules", "ID");
    add_list(app, "--skip", skip, "Skip these rules or probes", "ID");
    add_list(app, "--ignore", ignore, "Report findings of these rules as notes; they do not affect the verdict", "ID");
}

std::function<ReportOptions()> declare_report_options(CLI::App& app) {
    const auto written = std::make_shared<WrittenOptions>();
    add_option(app, "--format", written->format, "Format of the report: " + join_with_and(format_names()), "F");
    add_flag(app, "--json", written->json, "Shorthand for --format json");
    declare_text_part(app, *written);
    add_option(app, "--fail-on", written->fail_on, "Exit 4 on warnings when set to \"warning\"", "error|warning|never");
    return [written, &app] {
        refuse_together(app, "--json", "--format", "standard output carries one document");
        return checked(app, *written);
    };
}

std::function<ReportOptions()> declare_text_options(CLI::App& app) {
    const auto written = std::make_shared<WrittenOptions>();
    declare_text_part(app, *written);
    return [written, &app] { return checked(app, *written); };
}

void refuse_together(const CLI::App& app, const std::string& one, const std::string& other, const std::string& why) {
    if (app.count(one) > 0 && app.count(other) > 0)
        throw UsageError(one + " and " + other + " cannot be used together: " + why);
}

void require_directory(const std::string& path, const std::string& option) {
    struct stat status;
    if (!path.empty() && (::stat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)))
        throw InputError(option + ": there is no directory '" + path + "'");
}

Matrix matrix_from(const std::string& directory) {
    return directory.empty() ? Matrix::bundled() : Matrix::from_directory(directory);
}

std::optional<double> seconds_from(const std::string& text, const std::string& option) {
    if (text.empty()) return std::nullopt;
    std::size_t used = 0;
    double seconds = 0;
    try {
        seconds = std::stod(text, &used);
    } catch (const std::logic_error&) {
        used = 0;
    }
    constexpr double a_year = 31'536'000;
    if (used != text.size() || !(seconds > 0) || seconds > a_year)
        throw UsageError(option + " cannot be '" + text +
                         "'; give seconds above 0 and up to 31536000 (a year), e.g. 10 or 0.5");
    return seconds;
}

std::string report_as_text(const Report& report, const Named<Format>& format, const ReportOptions& options,
                           bool color) {
    std::ostringstream out;
    Style style = style_on(STDOUT_FILENO);
    style.color = color;
    style.verbose = options.verbose;
    style.quiet = options.quiet;
    format->write(report, out, style);
    return out.str();
}

Report redacted_unless(bool show_private, Report report) {
    return show_private ? report : redact(std::move(report), this_machine());
}

int print_report(Report report, const ReportOptions& options) {
    return print_redacted(redacted_unless(options.show_private, std::move(report)), options);
}

int print_redacted(const Report& report, const ReportOptions& options) {
    print_document(report_as_text(report, *options.format, options, wants_color(options.color, STDOUT_FILENO)));
    return exit_code(report.verdict, options.fail_on);
}

Exit exit_code(OverallVerdict verdict, FailOn fail_on) {
    switch (verdict) {
        case OverallVerdict::healthy:
            return healthy;
        case OverallVerdict::warnings:
            return fail_on == FailOn::warning ? warned : healthy;
        case OverallVerdict::problems:
            return problem;
        case OverallVerdict::undetermined:
            break;
    }
    return undetermined;
}

Style style_on(int descriptor) {
    return {.color = wants_color(ColorChoice::automatic, descriptor),
            .ascii = wants_ascii(),
            .width = columns_of_terminal(descriptor)};
}

bool is_capable_terminal(int descriptor) {
    const std::string terminal = environment_variable("TERM").value_or("");
    return isatty(descriptor) == 1 && !terminal.empty() && terminal != "dumb";
}

bool wants_color(ColorChoice choice, int descriptor) {
    if (choice != ColorChoice::automatic) return choice == ColorChoice::always;
    return environment_variable("NO_COLOR").value_or("").empty() && is_capable_terminal(descriptor);
}

}  // namespace rnncheck
