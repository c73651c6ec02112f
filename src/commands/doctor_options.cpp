#include "commands/doctor_options.hpp"

#include <CLI/CLI.hpp>

#include "base/program.hpp"
#include "base/text.hpp"
#include "commands/input.hpp"
#include "files/python/environments.hpp"
#include "process/apart.hpp"

namespace rnncheck {

/// Two groups share it.
static constexpr const char* heading_of_output = "Output and exit code";

/// Declared in the order of --help, as all groups.
static void add_input_options(CLI::App& app, InputOptions& options) {
    app.option_defaults()->group("Input");
    app.add_option(
           "--facts",
           options.facts,
           "Evaluate saved facts or a saved JSON report instead of this machine (- is "
           "standard input)")
        ->type_name("FILE");
    add_root_option(app, options.root);
    app.add_option(
           "--log",
           options.log,
           "Also analyze this log of the failing program (- is standard input)")
        ->type_name("FILE")
        ->allow_extra_args(false);
    app.add_option(
           "--model", options.model, "Also show which recurrent layers of this model use cuDNN")
        ->type_name("FILE");
    app.add_option(
           "--for",
           options.framework,
           "Check this machine against a framework version, e.g. tensorflow==2.15")
        ->type_name("NAME==VERSION");
}

void add_look_only_option(CLI::App& app, ExaminationOptions& options) {
    app.add_flag(
        "--look-only", options.look_only, "Read files only: open no vendor library, use no GPU");
}

void add_python_option(CLI::App& app, ExaminationOptions& options) {
    app.add_option(
           "--python",
           options.python,
           "Check the frameworks of this Python: an interpreter, the directory of an "
           "environment or of a project, python3.11, 3.11, or the name of a conda "
           "environment")
        ->type_name("ENV");
}

void add_examination_options(CLI::App& app, ExaminationOptions& options) {
    app.option_defaults()->group("Examination");
    add_look_only_option(app, options);
    app.add_flag("--no-run", options.no_run, "Query the libraries, but do not use the GPU");
    app.add_flag(
        "--make-nodes",
        options.make_nodes,
        "Allow the driver to create missing device nodes, as a CUDA program does");
    add_deadline_option(app, options.deadline);
    add_python_option(app, options);
}

void add_machine_rule_options(CLI::App& app, RuleOptions& options) {
    app.option_defaults()->group("Rules");
    add_rule_options(app, options);
    app.add_flag(
        "--allow-no-gpu", options.allow_no_gpu, "Do not report a missing NVIDIA GPU as a problem");
}

static void add_gate_options(CLI::App& app, GateOptions& options) {
    app.option_defaults()->group(heading_of_output);
    app.add_option(
           "--require", options.require, "Exit code 3 if any of these rules cannot be decided")
        ->type_name("ID")
        ->allow_extra_args(false);
    app.add_option(
           "--profile",
           options.profile,
           "Read required and ignored rules, --fail-on and expected versions from this "
           "file, e.g. rnncheck.toml")
        ->type_name("FILE");
    app.add_option(
           "--save-facts",
           options.save_facts,
           "Save the facts, without findings, to this file; --facts reads it")
        ->type_name("FILE");
}

void add_doctor_options(CLI::App& app, DoctorOptions& options) {
    add_input_options(app, options.input);
    add_examination_options(app, options.examination);
    add_machine_rule_options(app, options.rules);
    add_gate_options(app, options.gate);
    app.option_defaults()->group(heading_of_output);
    add_report_options(app, options.report);
}

/// What the text names, as an absolute path.
static std::optional<std::string> python_from_option(const std::string& text, const Root& root) {
    if (text.empty())
        return std::nullopt;
    return process::apart(
        [&] { return python::path_of_python(root, python::variables_of_process(), text); });
}

/// A gate that sorts reports by a label cannot use one without it.
static void require_labels(const Profile& profile, const TextMap& labels) {
    for (const std::string& label : profile.labels)
        if (!labels.contains(label))
            throw UsageError(
                "'" + profile.file + "' expects the label '" + label +
                "' in every report; add --label " + label + "=VALUE");
}

void DoctorOptions::check(const CLI::App& app) {
    reject_together(
        app,
        "--facts",
        {"--look-only", "--no-run", "--make-nodes", "--deadline", "--root", "--python"},
        "with saved facts nothing is examined");
    reject_together(
        app,
        "--make-nodes",
        {"--look-only"},
        "without the driver's libraries nothing creates nodes");
    // Else one of them would be read as empty.
    if (input.facts == "-" && includes(input.log, "-"))
        throw UsageError(
            "--facts - and --log - cannot be used together: there is one standard input");
    if (gate.save_facts == "-")
        throw UsageError(
            "--save-facts writes files; for standard output use --json, whose document --facts "
            "reads as well");
    // After what is wrong with the options themselves, before files are read.
    begin_run(app, report);
    survey.query = !examination.look_only;
    survey.run = !examination.look_only && !examination.no_run;
    survey.make_nodes = examination.make_nodes;
    survey.deadline = deadline_after(examination.deadline);
    survey.root = input.root;
    survey.python = python_from_option(examination.python, Root(input.root));
    if (!input.framework.empty())
        requested_framework = parse_requested_framework(input.framework);
    matrix = matrix_from(rules.matrix);
    // The command line wins over the profile.
    Profile profile;
    if (!gate.profile.empty()) {
        profile = read_profile(gate.profile, rule_names(matrix));
        if (profile.fail_on && !is_given(app, "--fail-on"))
            report.fail_on = *from_name<FailOn>(*profile.fail_on);
        report.run.profile = profile;
        require_labels(profile, report.run.labels);
    }
    selection = selection_from(rules, gate.require, profile, matrix, survey.skip);
}

/// What was examined, as options: " --python venv".
static std::string question_of(const DoctorOptions& options) {
    // The variable has the same effect as the option, but the reader of a report does not have it.
    std::string python = options.examination.python;
    if (python.empty())
        python = environment_variable("RNNCHECK_PYTHON").value_or("");
    // Saved facts have their own.
    if (!options.input.facts.empty())
        python.clear();
    std::string question;
    for (const auto& [option, value] :
         {std::pair<std::string, std::string>{"--facts", options.input.facts},
          {"--root", options.input.root},
          {"--python", python},
          {"--for", options.input.framework}})
        if (!value.empty() && value != "-")
            question += ' ' + option + ' ' + shell_quoted(value);
    return question;
}

void repeat_question(const DoctorOptions& options, Report& report) {
    constexpr std::string_view doctor = "rnncheck doctor";
    const std::string question = question_of(options);
    // "rnncheck doctor-x" is another program; --facts together with an examination is rejected.
    const auto repeat = [&](std::string& command) {
        const bool is_doctor = command == doctor || command.starts_with(std::string(doctor) + ' ');
        const bool examines =
            contains(command, " --make-nodes") || contains(command, " --deadline");
        if (is_doctor && !(examines && !options.input.facts.empty()))
            command.insert(doctor.size(), question);
    };
    for (Finding& finding : report.findings)
        for (Remedy& remedy : finding.remedies) {
            repeat(remedy.verify);
            for (std::string& command : remedy.commands)
                repeat(command);
            for (std::string& check : remedy.checks)
                repeat(check);
        }
}

}  // namespace rnncheck
