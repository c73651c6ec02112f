#include "commands/doctor_options.hpp"

#include "base/program.hpp"
#include "base/text.hpp"
#include "commands/input.hpp"
#include "files/python/environments.hpp"
#include "process/apart.hpp"

namespace rnncheck {

/// What the text names, as an absolute path.
static std::optional<std::string> python_from_option(const std::string& text, const Root& root) {
    if (text.empty())
        return std::nullopt;
    return process::apart(
        [&] { return python::path_of_python(root, python::variables_of_process(), text); });
}

static void require_labels(const Profile& profile, const TextMap& labels) {
    for (const std::string& label : profile.labels)
        if (!labels.contains(label))
            throw UsageError("'" + profile.file + "' expects the label '" + label +
                             "' in every report; add --label " + label + "=VALUE");
}

void DoctorOptions::check(const CLI::App& app) {
    reject_together(app, "--facts", "--look-only --no-run --make-nodes --deadline --root --python",
                    "with saved facts nothing is examined");
    reject_together(app, "--make-nodes", "--look-only",
                    "without the driver's libraries nothing creates nodes");
    if (input.facts == "-" && includes(input.log, "-"))
        throw UsageError(
            "--facts - and --log - cannot be used together: there is one standard input");
    if (gate.save_facts == "-")
        throw UsageError(
            "--save-facts writes files; for standard output use --json, whose document --facts "
            "reads as well");
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
    std::string python = options.examination.python;
    if (python.empty())
        python = environment_variable("RNNCHECK_PYTHON").value_or("");
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
