#include "commands/doctor_options.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "base/errors.hpp"
#include "base/text.hpp"
#include "commands/deadline.hpp"
#include "commands/ids.hpp"
#include "compat/given.hpp"
#include "packages/environments.hpp"

namespace rnncheck {

namespace {

/// A gate in CI and a person at a terminal wait so long, whatever hangs; a process that does not end may add seconds.
constexpr double default_deadline_s = 70;

/// As given, before anything is looked up.
struct RawOptions {
    std::string format = "text", root, facts, save_facts, matrix, fail_on = "error", color = "auto", deadline, python,
                release;
    std::vector<std::string> logs, outputs, only, skip, require, ignore;
    bool json = false, look_only = false, no_run = false, make_nodes = false, allow_no_gpu = false,
         show_private = false, verbose = false, quiet = false;
};

std::string no_empty_text(const std::string& text) {
    return text.empty() ? "needs a value" : "";
}

void one(CLI::App& app, const char* name, std::string& into, const char* about, const char* type) {
    app.add_option(name, into, about)->check(no_empty_text)->type_name(type);
}

/// Without a value: --json=3 is refused.
void flag(CLI::App& app, const char* name, bool& into, const char* about) {
    app.add_flag(name, into, about)->disable_flag_override();
}

void several(CLI::App& app, const char* name, std::vector<std::string>& into, const char* about, const char* type) {
    app.add_option(name, into, about)->allow_extra_args(false)->type_name(type);
}

void declare_examination(CLI::App& app, RawOptions& given) {
    flag(app, "--look-only", given.look_only, "Read files only: open no vendor library, use no GPU");
    flag(app, "--no-run", given.no_run, "Ask the libraries, but do not use the GPU");
    flag(app, "--make-nodes", given.make_nodes, "Let the driver make missing device nodes, as a CUDA program does");
    one(app, "--deadline", given.deadline, "Time limit for the whole check, in seconds (default 70)", "S");
    one(app, "--python", given.python, "Judge the frameworks of this interpreter or environment", "PATH");
}

void declare_other_machines(CLI::App& app, RawOptions& given) {
    one(app, "--facts", given.facts, "Judge these saved facts (- for standard input) instead of this machine", "FILE");
    one(app, "--root", given.root, "Examine the files below this folder, e.g. a mounted image", "DIR");
    several(app, "--log", given.logs, "Read this log of the failing program too (- for standard input)", "FILE");
    one(app, "--for", given.release, "Judge this machine for a release that need not be installed", "NAME==RELEASE");
}

void declare_judgement(CLI::App& app, RawOptions& given) {
    several(app, "--only", given.only, "Ask these rules alone", "ID");
    several(app, "--skip", given.skip, "Leave out these rules or probes", "ID");
    several(app, "--ignore", given.ignore, "Tell what these rules find, but do not count it", "ID");
    flag(app, "--allow-no-gpu", given.allow_no_gpu, "A machine without an NVIDIA GPU is as expected");
    one(app, "--matrix", given.matrix, "Use the compatibility tables in this folder", "DIR");
}

void declare_exit_codes(CLI::App& app, RawOptions& given) {
    several(app, "--require", given.require, "Undetermined (exit 3) unless these rules come to an answer", "ID");
    one(app, "--fail-on", given.fail_on, "error, or warning: exit 4 when there are warnings", "error|warning|never");
}

void declare_documents(CLI::App& app, RawOptions& given) {
    app.add_option("--format", given.format, "Form of the report: " + listing(format_names()))->type_name("F");
    flag(app, "--json", given.json, "The same as --format json");
    several(app, "--output", given.outputs, "Write the report into a file as well, e.g. json=report.json", "F=FILE");
    one(app, "--save-facts", given.save_facts, "Write what was found into this file, for --facts", "FILE");
}

void declare_text(CLI::App& app, RawOptions& given) {
    flag(app, "--show-private", given.show_private,
         "Keep user names, host name, serial numbers and UUIDs in the output");
    one(app, "--color", given.color, "Colour; auto means on a terminal, unless NO_COLOR is set", "auto|always|never");
    flag(app, "-v,--verbose", given.verbose, "Tell the passed rules, all remedies and the probes' times too");
    flag(app, "-q,--quiet", given.quiet, "One line for the verdict and one for each finding");
}

std::string file_from(const std::string& path) {
    if (path == "-")
        throw UsageError(
            "--save-facts writes files; for standard output use --json, whose document --facts reads as well");
    return path;
}

OutputFile output_from(const std::string& text) {
    const auto at = text.find('=');
    if (at == std::string::npos || at + 1 == text.size())
        throw UsageError("--output cannot be '" + text + "'; give a format and a file, e.g. json=report.json");
    if (text.substr(at + 1) == "-")
        throw UsageError("--output writes files; for standard output use --format " + text.substr(0, at));
    return {format_named(text.substr(0, at)), text.substr(at + 1)};
}

std::string folder_from(const std::string& path, const std::string& option) {
    struct stat status;
    if (!path.empty() && (::stat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)))
        throw InputError(option + ": there is no folder '" + path + "'");
    return path;
}

/// An absolute path to something that is a Python environment, or its interpreter.
std::optional<std::string> python_from_option(const std::string& path, const Root& root) {
    if (path.empty()) return std::nullopt;
    std::error_code error;
    const std::string absolute = std::filesystem::absolute(path, error).lexically_normal().string();
    packages::Variables variables;
    for (const char* name : packages::variable_names())
        if (const char* value = std::getenv(name)) variables.emplace(name, value);
    if (error || !packages::environment_at(root, variables, absolute))
        throw InputError("--python: there is no Python interpreter or environment at '" + path +
                         "'; give a python, the folder of a virtual or conda environment, or a folder of packages");
    return absolute;
}

std::optional<Framework> release_asked_for(const std::string& text) {
    if (text.empty()) return std::nullopt;
    auto framework = framework_from(text);
    if (!framework || !framework->version)
        throw UsageError("--for cannot be '" + text +
                         "'; give a framework and its release, e.g. tensorflow==2.15 or pytorch==2.4+cu124");
    framework->asked = true;
    return framework;
}

/// --skip takes rules and probes.
void share_out_skipped(const RawOptions& given, DoctorOptions& options) {
    std::vector<std::string> known = rule_names();
    const std::vector<std::string> probes = probe_names();
    known.insert(known.end(), probes.begin(), probes.end());
    for (const std::string& id : ids_from(given.skip, "--skip", "rule or probe", known)) {
        const bool is_probe = std::find(probes.begin(), probes.end(), id) != probes.end();
        (is_probe ? options.survey.skip : options.selection.skip).insert(id);
    }
}

/// A run that asks nothing must not look like one that found nothing.
void refuse_to_ask_nothing(const Selection& selection) {
    const auto is_asked = [&](const std::string& id) {
        return !selection.skip.contains(id) && (selection.only.empty() || selection.only.contains(id));
    };
    const auto rules = rule_names();
    if (std::none_of(rules.begin(), rules.end(), is_asked)) throw UsageError("--only and --skip leave no rule to ask");
}

void refuse_contradictions(const Selection& selection) {
    refuse_to_ask_nothing(selection);
    for (const std::string& id : selection.require)
        if (selection.skip.contains(id) || (!selection.only.empty() && !selection.only.contains(id)))
            throw UsageError("--require " + id + " contradicts --skip or --only, which leave it out");
}

void refuse_together(const CLI::App& app, const std::string& one_option, const std::string& other,
                     const std::string& why) {
    if (app.count(one_option) > 0 && app.count(other) > 0)
        throw UsageError(one_option + " and " + other + " cannot be used together: " + why);
}

constexpr const char* no_driver = "without the driver's libraries nothing makes nodes";
constexpr const char* opposite = "they ask for the opposite";

void refuse_contradictions(const CLI::App& app) {
    refuse_together(app, "--json", "--format", "standard output carries one document");
    for (const char* option : {"--look-only", "--no-run", "--make-nodes", "--deadline", "--root", "--python"})
        refuse_together(app, "--facts", option, "with saved facts nothing is examined");
}

DoctorOptions checked(const RawOptions& given) {
    DoctorOptions options;
    options.survey.root = folder_from(given.root, "--root");
    options.survey.ask = !given.look_only;
    options.survey.run = !given.look_only && !given.no_run;
    options.survey.make_nodes = given.make_nodes;
    options.survey.deadline_s = deadline_from(given.deadline).value_or(default_deadline_s);
    options.survey.python = python_from_option(given.python, Root(given.root));
    options.asked_for = release_asked_for(given.release);
    options.selection.only = ids_from(given.only, "--only", "rule", rule_names());
    options.selection.require = ids_from(given.require, "--require", "rule", rule_names());
    options.selection.ignore = ids_from(given.ignore, "--ignore", "rule", rule_names());
    options.selection.allow_no_gpu = given.allow_no_gpu;
    share_out_skipped(given, options);
    refuse_contradictions(options.selection);
    options.format = format_named(given.json ? "json" : given.format);
    for (const std::string& output : given.outputs) options.outputs.push_back(output_from(output));
    options.facts_file = given.facts;
    options.logs = given.logs;
    if (given.facts == "-" && std::count(given.logs.begin(), given.logs.end(), "-") > 0)
        throw UsageError("--facts - and --log - cannot be used together: there is one standard input");
    options.save_facts = file_from(given.save_facts);
    options.matrix_folder = folder_from(given.matrix, "--matrix");
    options.fail_on = word_from<FailOn>(given.fail_on, "--fail-on");
    options.color = word_from<ColorChoice>(given.color, "--color");
    options.show_private = given.show_private;
    options.verbose = given.verbose;
    options.quiet = given.quiet;
    return options;
}

}  // namespace

std::function<DoctorOptions()> declare_doctor_options(CLI::App& app) {
    const auto given = std::make_shared<RawOptions>();
    declare_other_machines(app, *given);
    declare_examination(app, *given);
    declare_judgement(app, *given);
    declare_exit_codes(app, *given);
    declare_documents(app, *given);
    declare_text(app, *given);
    return [given, &app] {
        refuse_contradictions(app);
        refuse_together(app, "--make-nodes", "--look-only", no_driver);
        refuse_together(app, "--quiet", "--verbose", opposite);
        return checked(*given);
    };
}

std::function<DoctorOptions()> declare_preflight_options(CLI::App& app) {
    const auto given = std::make_shared<RawOptions>();
    declare_examination(app, *given);
    declare_judgement(app, *given);
    declare_text(app, *given);
    return [given, &app] {
        refuse_together(app, "--make-nodes", "--look-only", no_driver);
        refuse_together(app, "--quiet", "--verbose", opposite);
        return checked(*given);
    };
}

}  // namespace rnncheck
