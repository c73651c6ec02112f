// Two packages of cuDNN put their files into one folder, or files of a package were replaced or removed.
#include "base/text.hpp"
#include "rules/rule.hpp"
#include "rules/support/installed.hpp"

namespace rnncheck::rules {

using Packages = std::vector<const PythonPackage*>;

static Packages cudnn_packages(const PythonEnvironment& environment) {
    Packages found;
    for (const PythonPackage& package : environment.packages)
        if (package.name.starts_with("nvidia-cudnn-cu")) found.push_back(&package);
    return found;
}

static std::string words_of(const PythonPackage& package) {
    return package.name + ' ' + package.version;
}

static Finding broken(const PythonEnvironment& environment, const std::string& subject, const std::string& message,
                      std::vector<Evidence> evidence, const Packages& packages) {
    std::vector<std::string> names;
    for (const PythonPackage* package : packages) names.push_back(package->name);
    const PythonPackage& first = *packages.front();
    const std::vector<std::string> commands = {
        pip(&environment, "uninstall -y " + join(names, " ")),
        pip(&environment, "install --force-reinstall --no-deps " + first.name + "==" + first.version)};
    Finding finding;
    finding.subject = subject;
    finding.message = message;
    finding.evidence = std::move(evidence);
    finding.remedies = {{.text = "Remove these packages, and install the one that your framework asks for once more",
                         .commands = commands,
                         .verify = "rnncheck doctor --only cudnn_installation_broken",
                         .link = "https://docs.nvidia.com/deeplearning/cudnn/installation/latest/linux.html"}};
    return finding;
}

static void judge_two(const PythonEnvironment& environment, const Packages& packages, Answers& answers) {
    for (std::size_t i = 1; i < packages.size(); ++i) {
        if (packages[i]->folder != packages[0]->folder) continue;
        const std::string both = words_of(*packages[0]) + " and " + words_of(*packages[i]);
        answers.fault(broken(environment, packages[0]->folder + "/nvidia/cudnn",
                             both + " are both installed and put their files into the same folder, one over the other",
                             {{packages[0]->name, packages[0]->version, "pythons"},
                              {packages[i]->name, packages[i]->version, "pythons"}},
                             packages));
        return;
    }
}

static void judge_files(const PythonEnvironment& environment, const PythonPackage& package, Answers& answers) {
    std::vector<Evidence> evidence;
    for (const std::string& file : package.missing_files) evidence.push_back({file, "is gone", "pythons"});
    for (const std::string& file : package.changed_files)
        evidence.push_back({file, "is not the file that was installed: its size is another", "pythons"});
    if (evidence.empty()) return answers.good("the files of cuDNN are those of its package");
    Finding finding = broken(
        environment, words_of(package),
        words_of(package) + " is not as it was installed: " + evidence.front().what + ' ' + evidence.front().value,
        evidence, {&package});
    answers.fault(std::move(finding));
}

static Verdict check(const Facts& facts, const Matrix&) {
    const PythonEnvironment* environment = active_environment(facts);
    if (!environment) {
        if (runs_of(facts, "python_packages").empty()) return not_applicable("packages were not looked for");
        if (!probe_completed(facts, "python_packages"))
            return undecided("the Python environments could not be searched");
        return not_applicable("there is no active Python environment");
    }
    const Packages packages = cudnn_packages(*environment);
    if (packages.empty()) return not_applicable("no package of cuDNN is installed in it");
    Answers answers;
    judge_two(*environment, packages, answers);
    for (const PythonPackage* package : packages)
        if (packages.size() == 1) judge_files(*environment, *package, answers);
    return answers.close_or(pass("the files of cuDNN are those of its package"));
}

extern const Rule cudnn_installation_broken{.title = "Files of several cuDNN releases lie over one another",
                                            .layer = Layer::cudnn,
                                            .worst = Severity::error,
                                            .needs = Stage::look,
                                            .check = check};

}  // namespace rnncheck::rules
