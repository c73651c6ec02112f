#include "commands/doctor_options.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "base/program.hpp"
#include "base/text.hpp"
#include "commands/ids.hpp"
#include "compat/given.hpp"
#include "files/python/environments.hpp"

namespace rnncheck {

namespace {

/// A gate in CI and a person at a terminal wait so long, whatever hangs; a process that does not end may add seconds.
constexpr double default_deadline_s = 70;

/// As given, before anything is looked up.
struct RawOptions {
    std::string root, facts, save_facts, matrix, deadline, python, release;
    std::vector<std::string> logs, outputs, only, skip, require, ignore;
    bool look_only = false, no_run = false, make_nodes = false, allow_no_gpu = false;
};

void declare_input(CLI::App& app, RawOptions& given) {
    begin_group(app, "Input");
    add_option(app, "--facts", given.facts, "Evaluate saved facts (- for standard input) instead of this machine",
               "FILE");
    add_root_option(app, given.root);
    add_list(app, "--log", given.logs, "Also analyze this log of the failing program (- for standard input)", "FILE");
    add_option(app, "--for", given.release, "Check this machine against a framework version, e.g. tensorflow==2.15",
               "NAME==VERSION");
}

void declare_examination(CLI::App& app, RawOptions& given) {
    begin_group(app, "What is run");
    add_flag(app, "--look-only", given.look_only, "Read files only: open no vendor library, use no GPU");
    add_flag(app, "--no-run", given.no_run, "Query the libraries, but do not use the GPU");
    add_flag(app, "--make-nodes", given.make_nodes,
             "Let the driver create missing device nodes, as a CUDA program does");
    add_deadline_option(app, given.deadline, "70");
    add_option(app, "--python", given.python, "Check the frameworks of this interpreter or environment", "PATH");
}

void declare_rules(CLI::App& app, RawOptions& given) {
    begin_group(app, "Rules");
    add_rule_options(app, given.only, given.skip, given.ignore);
    add_flag(app, "--allow-no-gpu", given.allow_no_gpu, "Do not report a missing NVIDIA GPU as a problem");
    add_matrix_option(app, given.matrix);
}

void declare_outputs(CLI::App& app, RawOptions& given) {
    add_list(app, "--require", given.require, "Exit 3 if any of these rules cannot be decided", "ID");
    add_list(app, "--output", given.outputs, "Also write the report to a file, e.g. json=report.json", "F=FILE");
    add_option(app, "--save-facts", given.save_facts, "Save what was found to this file, for --facts", "FILE");
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

/// An absolute path to something that is a Python environment, or its interpreter.
std::optional<std::string> python_from_option(const std::string& path, const Root& root) {
    if (path.empty()) return std::nullopt;
    std::error_code error;
    const std::string absolute = std::filesystem::absolute(path, error).lexically_normal().string();
    if (error || !python::environment_at(root, python::variables_of_process(), absolute))
        throw InputError(
            "--python: there is no Python interpreter or environment at '" + path +
            "'; give a python, the directory of a virtual or conda environment, or a directory of packages");
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

constexpr const char* no_driver = "without the driver's libraries nothing makes nodes";

void refuse_contradictions(const CLI::App& app) {
    for (const char* option : {"--look-only", "--no-run", "--make-nodes", "--deadline", "--root", "--python"})
        refuse_together(app, "--facts", option, "with saved facts nothing is examined");
}

DoctorOptions checked(const RawOptions& given) {
    DoctorOptions options;
    require_directory(given.root, "--root");
    require_directory(given.matrix, "--matrix");
    options.survey.root = given.root;
    options.survey.ask = !given.look_only;
    options.survey.run = !given.look_only && !given.no_run;
    options.survey.make_nodes = given.make_nodes;
    options.survey.deadline_s = seconds_from(given.deadline, "--deadline").value_or(default_deadline_s);
    options.survey.python = python_from_option(given.python, Root(given.root));
    options.asked_for = release_asked_for(given.release);
    options.selection.only = ids_from(given.only, "--only", "rule", rule_names());
    options.selection.require = ids_from(given.require, "--require", "rule", rule_names());
    options.selection.ignore = ids_from(given.ignore, "--ignore", "rule", rule_names());
    options.selection.allow_no_gpu = given.allow_no_gpu;
    share_out_skipped(given, options);
    refuse_contradictions(options.selection);
    for (const std::string& output : given.outputs) options.outputs.push_back(output_from(output));
    options.facts_file = given.facts;
    options.logs = given.logs;
    if (given.facts == "-" && std::count(given.logs.begin(), given.logs.end(), "-") > 0)
        throw UsageError("--facts - and --log - cannot be used together: there is one standard input");
    options.save_facts = file_from(given.save_facts);
    options.matrix_directory = given.matrix;
    return options;
}

}  // namespace

std::function<DoctorOptions()> declare_doctor_options(CLI::App& app) {
    const auto given = std::make_shared<RawOptions>();
    declare_input(app, *given);
    declare_examination(app, *given);
    declare_rules(app, *given);
    begin_group(app, "Output and exit code");
    declare_outputs(app, *given);
    return [given, &app, report_options = declare_report_options(app)] {
        refuse_contradictions(app);
        refuse_together(app, "--make-nodes", "--look-only", no_driver);
        DoctorOptions options = checked(*given);
        options.report = report_options();
        return options;
    };
}

std::function<DoctorOptions()> declare_preflight_options(CLI::App& app) {
    const auto given = std::make_shared<RawOptions>();
    declare_examination(app, *given);
    declare_rules(app, *given);
    begin_group(app, "Output");
    return [given, &app, text_options = declare_text_options(app)] {
        refuse_together(app, "--make-nodes", "--look-only", no_driver);
        DoctorOptions options = checked(*given);
        options.report = text_options();
        return options;
    };
}

}  // namespace rnncheck
