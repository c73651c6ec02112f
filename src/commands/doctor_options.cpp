#include "commands/doctor_options.hpp"

#include <filesystem>

#include "base/program.hpp"
#include "commands/input.hpp"
#include "files/python/environments.hpp"
#include "process/apart.hpp"

namespace rnncheck {

/// An absolute path to something that is a Python environment, or its interpreter.
static std::optional<std::string> python_from_option(const std::string& path, const Root& root) {
    if (path.empty()) return std::nullopt;
    return process::apart([&] {
        std::error_code error;
        std::string absolute = std::filesystem::absolute(path, error).lexically_normal().string();
        if (error || !python::environment_at(root, python::variables_of_process(), absolute))
            throw InputError(
                "--python: there is no Python interpreter or environment at '" + path +
                "'; give a python, the directory of a virtual or conda environment, or a directory of packages");
        return absolute;
    });
}

void DoctorOptions::check(const CLI::App& app) {
    refuse_together(app, "--facts", "--look-only --no-run --make-nodes --deadline --root --python",
                    "with saved facts nothing is examined");
    refuse_together(app, "--make-nodes", "--look-only", "without the driver's libraries nothing creates nodes");
    if (input.facts == "-" && includes(input.log, "-"))
        throw UsageError("--facts - and --log - cannot be used together: there is one standard input");
    if (gate.save_facts == "-")
        throw UsageError(
            "--save-facts writes files; for standard output use --json, whose document --facts reads as well");
    begin_run(app, report);
    survey.ask = !examination.look_only;
    survey.run = !examination.look_only && !examination.no_run;
    survey.make_nodes = examination.make_nodes;
    survey.deadline = deadline_after(examination.deadline);
    survey.root = input.root;
    survey.python = python_from_option(examination.python, Root(input.root));
    if (!input.framework.empty()) asked_for = framework_asked_for(input.framework);
    matrix = matrix_from(rules.matrix);
    Profile profile;
    if (!gate.profile.empty()) {
        profile = read_profile(gate.profile, rule_names(matrix));
        if (profile.fail_on && !is_given(app, "--fail-on")) report.fail_on = *from_name<FailOn>(*profile.fail_on);
        report.run.profile = profile;
    }
    selection = selection_from(rules, gate.require, profile, matrix, survey.skip);
}

}  // namespace rnncheck
