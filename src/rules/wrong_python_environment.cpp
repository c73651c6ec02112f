// Another Python environment runs than the one that was prepared.
#include "rules/rule.hpp"

namespace rnncheck::rules::wrong_python_environment {

static const Framework* cuda_framework_elsewhere(const Facts& facts, const std::string& name) {
    for (const Framework& framework : facts.frameworks) {
        const PythonEnvironment* environment = environment_of(facts, framework);
        const bool wanted = name.empty() || framework.name == name;
        if (environment && !environment->active && wanted && framework.uses_cuda.value_or(true)) return &framework;
    }
    return nullptr;
}

static bool has_frameworks(const Facts& facts, const PythonEnvironment& environment) {
    return std::ranges::any_of(facts.frameworks,
                               [&](const Framework& framework) { return framework.environment == environment.path; });
}

/// The python on PATH, where it is not the active environment's.
static const PythonEnvironment* on_path_instead(const Facts& facts, const PythonEnvironment& active) {
    if (active.found_by != "VIRTUAL_ENV" && active.found_by != "CONDA_PREFIX") return nullptr;
    for (const PythonEnvironment& python : facts.pythons)
        if (!python.active && python.found_by == "PATH") return &python;
    return nullptr;
}

static Remedy use(const std::string& text, const PythonEnvironment& environment) {
    const bool conda = environment.kind == "conda";
    const std::string command =
        conda ? "conda activate " + environment.path : "source " + environment.path + "/bin/activate";
    return {.action = Action::change_environment,
            .text = text,
            .commands = {command},
            .link = conda ? "https://docs.conda.io/projects/conda/en/stable/user-guide/tasks/manage-environments.html"
                          : "https://docs.python.org/3/library/venv.html"};
}

static Finding another_runs(const PythonEnvironment& active, const PythonEnvironment& on_path) {
    return {
        .subject = active.path,
        .message = active.found_by + " names " + active.path + ", but the python on PATH is that of " + on_path.path,
        .evidence = {{active.found_by, active.path, "host.environment"},
                     {"python on PATH", on_path.interpreter.value_or(on_path.path), "pythons"}},
        .remedies = {use("Activate the environment again, so that its python is first on PATH", active)}};
}

static Finding better_elsewhere(const Facts& facts, const PythonEnvironment& active, const Framework& better,
                                bool has_another_build) {
    const PythonEnvironment& other = *environment_of(facts, better);
    return {.severity = Severity::note,
            .subject = active.path,
            .message = words_of(better) + " with CUDA is installed in " + other.path + "; the checked environment, " +
                       active.path + ", has " + (has_another_build ? "a build without CUDA" : "no framework"),
            .evidence = {{"checked environment", active.path + " by " + active.found_by, "pythons"},
                         {words_of(better), other.path, "frameworks"}},
            .remedies = {use("Activate that environment if it is the intended one", other)},
            .confidence = Confidence::possible};
}

static Verdict check(const Facts& facts, const Matrix&) {
    const PythonEnvironment* active = active_environment(facts);
    if (!active) return without_environment(facts, "environments");
    if (active->found_by == "--python") return not_applicable("the environment was selected with --python");
    const PythonEnvironment* instead = on_path_instead(facts, *active);
    if (instead && (has_frameworks(facts, *active) || has_frameworks(facts, *instead)))
        return fault(another_runs(*active, *instead));
    VerdictBuilder answers;
    for (const Framework& framework : facts.frameworks) {
        const Framework* better = cuda_framework_elsewhere(facts, framework.name);
        if (framework.environment != active->path || framework.uses_cuda == true || !better) continue;
        if (framework.uses_cuda && better->uses_cuda)
            answers.fault(better_elsewhere(facts, *active, *better, true));
        else
            answers.unknown("whether the builds of " + framework.name + " have CUDA is unknown");
    }
    if (!has_frameworks(facts, *active))
        if (const Framework* better = cuda_framework_elsewhere(facts, ""); better && better->uses_cuda)
            answers.fault(better_elsewhere(facts, *active, *better, false));
    return answers.close_or(has_frameworks(facts, *active)
                                ? pass("the checked environment is the one that runs")
                                : not_applicable("no framework is installed in the active Python environment"));
}

extern const Rule rule{.title = "The program runs in a different Python environment than intended",
                       .layer = Layer::host,
                       .max_severity = Severity::warning,
                       .stage = Stage::look,
                       .check = check};

}  // namespace rnncheck::rules::wrong_python_environment
