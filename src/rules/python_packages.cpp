// Python environments and the packages in them.
#include "compat/plan.hpp"
#include "rules/rule.hpp"

namespace rnncheck::rules {

static Finding damaged(const PythonEnvironment& environment, const PythonPackage& package,
                       std::vector<Evidence> changes) {
    const std::string name = package.name + ' ' + package.version;
    const std::string reinstall =
        pip(&environment, "install --force-reinstall --no-deps " + shell_quoted(package.name + "==" + package.version));
    return {
        .subject = name,
        .message = name + " has changed since it was installed: " + changes.front().what + ' ' + changes.front().value,
        .evidence = std::move(changes),
        .remedies = {remedy("package_files_missing", {reinstall})},
        .confidence = Confidence::likely};
}

/// Libraries of an installed package are gone or were replaced.
Verdict package_files_missing(const Facts& facts, const Matrix&) {
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
    return {.subject = subject,
            .message = message,
            .evidence = std::move(evidence),
            .remedies = {remedy("cudnn_installation_broken",
                                {pip(&environment, "uninstall -y " + join(names, " ")),
                                 pip(&environment, "install --force-reinstall --no-deps " + shell_quoted(wanted))})}};
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

/// Two packages of cuDNN put their files into one directory, or files of a package were replaced or removed.
Verdict cudnn_installation_broken(const Facts& facts, const Matrix&) {
    const PythonEnvironment* environment = active_environment(facts);
    if (!environment) return without_environment(facts, "packages");
    const Packages packages = cudnn_packages(*environment);
    if (packages.empty()) return not_applicable("no cuDNN package is installed in it");
    VerdictBuilder answers;
    if (!judge_pairs(facts, *environment, packages, answers))
        for (const PythonPackage* package : packages) judge_files(facts, *environment, *package, answers);
    return answers.close_or(pass("the cuDNN files are those of its package"));
}

/// "tensorflow 2.18.0" without the release.
static std::string name_in(const std::string& package) {
    return package.substr(0, package.find(' '));
}

static std::vector<std::string> packages_of(const Framework& framework) {
    std::vector<std::string> names;
    if (framework.package) names.push_back(name_in(*framework.package));
    for (const std::string& other : framework.other_packages) names.push_back(name_in(other));
    return names;
}

static bool is_without_cuda(const std::string& package) {
    return contains(package, "-cpu") || contains(package, "-intel") || package == "intel-tensorflow" ||
           package == "onnxruntime" || package == "paddlepaddle" || package == "mxnet";
}

/// The one with CUDA: what is left when the others are gone.
static std::string one_to_keep(const Framework& framework, const std::vector<std::string>& names) {
    const auto with = std::ranges::find_if_not(names, is_without_cuda);
    const std::string name = with == names.end() ? names.front() : *with;
    const bool old_name = name == "tensorflow-gpu" && framework.version && framework.version->major() >= 2;
    return old_name ? "tensorflow" : name;
}

/// PaddlePaddle 3 with CUDA is in an index of its own: the table knows the command, for the CUDA of the files if told.
static std::string install_of(const Facts& facts, const Matrix& matrix, const Framework& framework,
                              const std::string& package) {
    constexpr std::string_view pip_start = "pip ";
    const std::string otherwise = "install " + package + (framework.version ? "==" + framework.version->text : "");
    Framework named = framework;
    named.build.reset();
    auto builds = builds_of(facts, matrix, named).with_cuda;
    std::erase_if(builds, [&](const FrameworkBuild& build) {
        return build.package != package || !build.install.starts_with(pip_start) ||
               (framework.cuda && build.cuda != framework.cuda);
    });
    if (builds.empty() || std::ranges::any_of(builds, is_default)) return otherwise;
    builds.front().first = *framework.version;
    builds.front().last = framework.version;
    return install_command(builds.front(), std::nullopt, matrix).substr(pip_start.size());
}

static std::vector<std::string> commands_for(const Facts& facts, const Matrix& matrix, const Framework& framework,
                                             const std::vector<std::string>& names) {
    return {pip(facts, framework, "uninstall -y " + join(names, " ")),
            pip(facts, framework, install_of(facts, matrix, framework, one_to_keep(framework, names)))};
}

static Finding both(const Facts& facts, const Matrix& matrix, const Framework& framework) {
    const auto names = packages_of(framework);
    const bool cuda_won = framework.uses_cuda.value_or(false);
    std::vector<std::string> listed = framework.other_packages;
    listed.insert(listed.begin(), framework.package.value_or(framework.name));
    return {
        .severity = cuda_won ? Severity::warning : Severity::error,
        .subject = words_of(framework),
        .message = join_with_and(listed) + " are installed in one environment and overwrite each other's files; " +
                   (cuda_won ? "the CUDA files are in place until the other package is updated"
                             : "the files in place have no CUDA support"),
        .evidence = {{"packages", join_with_and(listed), "frameworks"},
                     {"build identified from its files", cuda_won ? "with CUDA" : "without CUDA",
                      framework.shown_by.value_or("frameworks")}},
        .remedies = {remedy("cpu_and_gpu_packages_both_installed", {}, commands_for(facts, matrix, framework, names))}};
}

/// Two packages of one framework share a directory, one with CUDA and one without.
Verdict cpu_and_gpu_packages_both_installed(const Facts& facts, const Matrix& matrix) {
    const auto judge = [&](const Framework& framework, VerdictBuilder& answers) {
        const auto names = packages_of(framework);
        const auto without = std::ranges::count_if(names, is_without_cuda);
        const bool mixed = without > 0 && without < static_cast<std::ptrdiff_t>(names.size());
        if (!framework.package && !framework.other_packages.empty())
            answers.unknown("the installed packages of " + words_of(framework) + " are unknown");
        else if (mixed && !framework.uses_cuda)
            answers.unknown("the package that installed the files of " + words_of(framework) + " is unknown");
        else if (mixed)
            answers.fault(both(facts, matrix, framework));
    };
    return over_frameworks(facts, matrix, "no framework in the active environment has both a CPU and a GPU package",
                           judge);
}

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

/// Another Python environment runs than the one that was prepared.
Verdict wrong_python_environment(const Facts& facts, const Matrix&) {
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

}  // namespace rnncheck::rules
