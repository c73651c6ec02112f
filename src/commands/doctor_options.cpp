#include "commands/doctor_options.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/program.hpp"
#include "commands/profile.hpp"
#include "commands/tables.hpp"
#include "files/python/environments.hpp"

namespace rnncheck {

namespace {

/// A gate in CI and a person at a terminal wait so long, whatever hangs; a process that does not end may add seconds.
constexpr double default_deadline_s = 70;

/// As given, before anything is looked up.
struct RawOptions {
    DoctorOptions options;
    RuleOptions rules;
    std::string python, framework, profile;
    bool look_only = false, no_run = false, allow_no_gpu = false;
};

void declare_input(CLI::App& app, RawOptions& given) {
    begin_group(app, "Input");
    add_option(app, "--facts", into(given.options.facts_file),
               "Evaluate saved facts or a saved JSON report instead of this machine (- is standard input)", "FILE");
    add_root_option(app, given.options.survey.root);
    add_list(app, "--log", given.options.logs, "Also analyze this log of the failing program (- is standard input)",
             "FILE");
    add_option(app, "--model", into(given.options.model), "Also show which recurrent layers of this model use cuDNN",
               "FILE");
    add_option(app, "--for", into(given.framework),
               "Check this machine against a framework version, e.g. tensorflow==2.15", "NAME==VERSION");
}

void declare_examination(CLI::App& app, RawOptions& given) {
    begin_group(app, "What is run");
    add_flag(app, "--look-only", given.look_only, "Read files only: open no vendor library, use no GPU");
    add_flag(app, "--no-run", given.no_run, "Query the libraries, but do not use the GPU");
    add_flag(app, "--make-nodes", given.options.survey.make_nodes,
             "Let the driver create missing device nodes, as a CUDA program does");
    add_deadline_option(app, given.options.survey.deadline_s, "70");
    add_option(app, "--python", into(given.python), "Check the frameworks of this interpreter or environment", "PATH");
}

void declare_rules(CLI::App& app, RawOptions& given) {
    begin_group(app, "Rules");
    add_rule_options(app, given.rules);
    add_flag(app, "--allow-no-gpu", given.allow_no_gpu, "Do not report a missing NVIDIA GPU as a problem");
}

void declare_outputs(CLI::App& app, RawOptions& given) {
    begin_group(app, "Output and exit code");
    add_list(app, "--require", given.rules.require, "Exit code 3 if any of these rules cannot be decided", "ID");
    add_option(app, "--profile", into(given.profile),
               "Read required and ignored rules, --fail-on and expected versions from this file, e.g. rnncheck.toml",
               "FILE");
    add_option(
        app, "--save-facts",
        [&given](const std::string& path) {
            if (path == "-")
                throw UsageError(
                    "--save-facts writes files; for standard output use --json, whose document --facts reads as well");
            given.options.save_facts = path;
        },
        "Save the facts, without findings, to this file; --facts reads it", "FILE");
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

/// The command line adds to the profile's rules and replaces its `fail-on`.
void add_profile(const CLI::App& app, const std::string& file, RuleOptions& rules, ReportOptions& report) {
    const Profile profile = read_profile(file, rule_names(matrix_from(rules.matrix_directory)));
    append(rules.require, profile.require);
    if (profile.expect) rules.require.push_back("version_not_expected");  // also where nothing was queried
    rules.ignored_because = profile.ignore;
    if (profile.fail_on && app.count("--fail-on") == 0) report.fail_on = *from_name<FailOn>(*profile.fail_on);
    report.run.profile = profile;
}

DoctorOptions checked(const CLI::App& app, const RawOptions& given, const ReportOptions& report) {
    refuse_together(app, "--make-nodes", "--look-only", "without the driver's libraries nothing creates nodes");
    DoctorOptions options = given.options;
    options.report = report;
    options.survey.ask = !given.look_only;
    options.survey.run = !given.look_only && !given.no_run;
    if (!options.survey.deadline_s) options.survey.deadline_s = default_deadline_s;
    options.survey.python = python_from_option(given.python, Root(options.survey.root));
    if (!given.framework.empty()) options.asked_for = framework_asked_for(given.framework);
    RuleOptions rules = given.rules;
    if (!given.profile.empty()) add_profile(app, given.profile, rules, options.report);
    options.selection = selection_from(rules, options.survey.skip);
    options.selection.allow_no_gpu = given.allow_no_gpu;
    options.matrix_directory = given.rules.matrix_directory;
    if (options.facts_file == "-" && std::ranges::count(options.logs, "-") > 0)
        throw UsageError("--facts - and --log - cannot be used together: there is one standard input");
    return options;
}

}  // namespace

std::function<DoctorOptions()> declare_doctor_options(CLI::App& app) {
    const auto given = std::make_shared<RawOptions>();
    declare_input(app, *given);
    declare_examination(app, *given);
    declare_rules(app, *given);
    declare_outputs(app, *given);
    return [given, &app, report_options = declare_report_options(app)] {
        for (const char* option : {"--look-only", "--no-run", "--make-nodes", "--deadline", "--root", "--python"})
            refuse_together(app, "--facts", option, "with saved facts nothing is examined");
        return checked(app, *given, report_options());
    };
}

std::function<DoctorOptions()> declare_preflight_options(CLI::App& app) {
    const auto given = std::make_shared<RawOptions>();
    declare_examination(app, *given);
    declare_rules(app, *given);
    begin_group(app, "Output");
    return [given, &app, text_options = declare_text_options(app)] { return checked(app, *given, text_options()); };
}

}  // namespace rnncheck
