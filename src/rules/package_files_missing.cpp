// Libraries of an installed package are gone or were replaced.
#include "rules/rule.hpp"

namespace rnncheck::rules::package_files_missing {

static Finding damaged(const PythonEnvironment& environment, const PythonPackage& package,
                       std::vector<Evidence> changes) {
    const std::string name = package.name + ' ' + package.version;
    const std::string reinstall =
        pip(&environment, "install --force-reinstall --no-deps " + shell_quoted(package.name + "==" + package.version));
    return {
        .subject = name,
        .message = name + " has changed since it was installed: " + changes.front().what + ' ' + changes.front().value,
        .evidence = std::move(changes),
        .remedies = {{.action = Action::reinstall_package,
                      .text = "Reinstall the package",
                      .commands = {reinstall},
                      .link = "https://packaging.python.org/en/latest/specifications/"
                              "recording-installed-packages/"}},
        .confidence = Confidence::likely};
}

static Verdict check(const Facts& facts, const Matrix&) {
    const PythonEnvironment* environment = active_environment(facts);
    if (!environment) return without_environment(facts, "packages");
    VerdictBuilder answers;
    for (const PythonPackage& package : environment->packages) {
        if (package.name.starts_with("nvidia-cudnn")) continue;  // cudnn_installation_broken tells of it
        auto changes = changed_files(package);
        if (changes.empty())
            answers.passed("the libraries of the checked packages are unchanged");
        else
            answers.fault(damaged(*environment, package, std::move(changes)));
    }
    return answers.close_or(not_applicable("the active environment has none of the checked packages"));
}

extern const Rule rule{.title = "Libraries of an installed Python package are missing or were replaced",
                       .layer = Layer::host,
                       .max_severity = Severity::warning,
                       .stage = Stage::look,
                       .check = check};

}  // namespace rnncheck::rules::package_files_missing
