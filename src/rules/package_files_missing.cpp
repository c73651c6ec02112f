// Libraries of an installed package are gone or were replaced.
#include "base/text.hpp"
#include "rules/rule.hpp"
#include "rules/support/frameworks.hpp"

namespace rnncheck::rules::package_files_missing {

static Finding damaged(const PythonEnvironment& environment, const PythonPackage& package) {
    const bool gone = !package.missing_files.empty();
    const std::string& first = gone ? package.missing_files.front() : package.changed_files.front();
    const std::string command =
        pip(&environment, "install --force-reinstall --no-deps " + shell_quoted(package.name + "==" + package.version));
    Finding finding;
    finding.severity = Severity::warning;
    finding.confidence = Confidence::likely;
    finding.subject = package.name + ' ' + package.version;
    finding.message = package.name + ' ' + package.version + " has changed since it was installed: " + first +
                      (gone ? " is missing" : " has a different size");
    for (const std::string& file : package.missing_files) finding.evidence.push_back({file, "is missing", "pythons"});
    for (const std::string& file : package.changed_files)
        finding.evidence.push_back({file, "size differs from the package's list of files", "pythons"});
    finding.remedies = {
        {.text = "Reinstall the package",
         .commands = {command},
         .link = "https://packaging.python.org/en/latest/specifications/recording-installed-packages/"}};
    return finding;
}

static Verdict check(const Facts& facts, const Matrix&) {
    const PythonEnvironment* environment = active_environment(facts);
    if (!environment) return without_environment(facts, "packages");
    VerdictBuilder answers;
    for (const PythonPackage& package : environment->packages) {
        if (package.name.starts_with("nvidia-cudnn")) continue;  // cudnn_installation_broken tells of it
        if (package.missing_files.empty() && package.changed_files.empty())
            answers.passed("the libraries of the checked packages are unchanged");
        else
            answers.fault(damaged(*environment, package));
    }
    return answers.close_or(not_applicable("the active environment has none of the checked packages"));
}

extern const Rule rule{.title = "Libraries of an installed Python package are missing or were replaced",
                       .layer = Layer::host,
                       .max_severity = Severity::warning,
                       .stage = Stage::look,
                       .check = check};

}  // namespace rnncheck::rules::package_files_missing
