// Two packages of cuDNN put their files into one directory, or files of a package were replaced or removed.
#include "rules/rule.hpp"

namespace rnncheck::rules::cudnn_installation_broken {

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

/// The package that a framework of this environment asks for; else the newest of these.
static std::string to_install(const Facts& facts, const PythonEnvironment& environment, const Packages& packages) {
    for (const Framework& framework : facts.frameworks)
        if (framework.environment == environment.path && framework.cudnn_wanted) return *framework.cudnn_wanted;
    const auto newest = std::ranges::max_element(
        packages, [](auto* a, auto* b) { return find_version(a->version, 1) < find_version(b->version, 1); });
    return (*newest)->name + "==" + (*newest)->version;
}

static Finding broken(const Facts& facts, const PythonEnvironment& environment, const std::string& subject,
                      const std::string& message, std::vector<Evidence> evidence, const Packages& packages) {
    const auto names = each(packages, [](const PythonPackage* package) { return shell_quoted(package->name); });
    const std::string wanted = to_install(facts, environment, packages);
    return {
        .subject = subject,
        .message = message,
        .evidence = std::move(evidence),
        .remedies = {{.action = Action::reinstall_package,
                      .text = "Uninstall these packages, then reinstall only the cuDNN package that is needed",
                      .commands = {pip(&environment, "uninstall -y " + join(names, " ")),
                                   pip(&environment, "install --force-reinstall --no-deps " + shell_quoted(wanted))},
                      .link = "https://docs.nvidia.com/deeplearning/cudnn/installation/latest/linux.html"}}};
}

/// Files of another major have other names.
static bool overwrite_each_other(const PythonPackage& a, const PythonPackage& b) {
    const auto a_version = find_version(a.version, 1), b_version = find_version(b.version, 1);
    return a.directory == b.directory && a_version && b_version && a_version->major() == b_version->major();
}

/// Whether two packages lie over one another.
static bool judge_pairs(const Facts& facts, const PythonEnvironment& environment, const Packages& packages,
                        VerdictBuilder& answers) {
    for (std::size_t i = 0; i < packages.size(); ++i)
        for (std::size_t j = i + 1; j < packages.size(); ++j) {
            if (!overwrite_each_other(*packages[i], *packages[j])) continue;
            const std::string both = words_of(*packages[i]) + " and " + words_of(*packages[j]);
            answers.fault(broken(facts, environment, packages[i]->directory + "/nvidia/cudnn",
                                 both + " are both installed and overwrite each other's files in the same directory",
                                 {{packages[i]->name, packages[i]->version, "pythons"},
                                  {packages[j]->name, packages[j]->version, "pythons"}},
                                 {packages[i], packages[j]}));
            return true;
        }
    return false;
}

static void judge_files(const Facts& facts, const PythonEnvironment& environment, const PythonPackage& package,
                        VerdictBuilder& answers) {
    const auto evidence = changed_files(package);
    if (evidence.empty()) return answers.passed("the cuDNN files are those of its package");
    Finding finding = broken(facts, environment, words_of(package),
                             words_of(package) + " has changed since it was installed: " + evidence.front().what + ' ' +
                                 evidence.front().value,
                             evidence, {&package});
    answers.fault(std::move(finding));
}

static Verdict check(const Facts& facts, const Matrix&) {
    const PythonEnvironment* environment = active_environment(facts);
    if (!environment) return without_environment(facts, "packages");
    const Packages packages = cudnn_packages(*environment);
    if (packages.empty()) return not_applicable("no cuDNN package is installed in it");
    VerdictBuilder answers;
    if (!judge_pairs(facts, *environment, packages, answers))
        for (const PythonPackage* package : packages) judge_files(facts, *environment, *package, answers);
    return answers.close_or(pass("the cuDNN files are those of its package"));
}

extern const Rule rule{.title = "The files of a cuDNN package were overwritten or are missing",
                       .layer = Layer::cudnn,
                       .stage = Stage::look,
                       .check = check};

}  // namespace rnncheck::rules::cudnn_installation_broken
