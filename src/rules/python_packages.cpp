// Python environments and the packages in them.
#include "base/if_any.hpp"
#include "rules/rule.hpp"
#include "stack/given.hpp"

namespace rnncheck::rules {

/// The files of a package that are gone or were replaced.
static std::vector<Evidence> changed_files(const PythonPackage& package) {
    std::vector<Evidence> evidence;
    for (const std::string& file : package.missing_files)
        evidence.push_back({file, "is missing", "pythons"});
    for (const std::string& file : package.changed_files)
        evidence.push_back(
            {file, "was replaced: its size differs from the installed file's", "pythons"});
    return evidence;
}

/// The first of the changes is part of the message, all are its evidence.
static Finding changed(const PythonPackage& package, std::vector<Evidence> changes, Remedy remedy) {
    const std::string name = package.name + ' ' + package.version;
    stack::Part part;
    if (const auto framework = stack::framework_named(package.name))
        part = {stack::PartKind::framework, framework->name, name};
    return {
        .subject = name,
        .part = std::move(part),
        .message = name + " has changed since it was installed: " + changes.front().what + ' ' +
                   changes.front().value,
        .evidence = std::move(changes),
        .remedies = {std::move(remedy)},
    };
}

/// Without --no-deps pip would install other packages again, too, and maybe
/// newer.
static std::string again(const std::string& requirement) {
    return "install --force-reinstall --no-deps " + shell_quoted(requirement);
}

/// The RECORD of each package lists its files with their sizes:
/// https://packaging.python.org/en/latest/specifications/recording-installed-packages/
static void judge_packages(const PythonEnvironment& environment, VerdictBuilder& result) {
    for (const PythonPackage& package : environment.packages) {
        if (package.name.starts_with("nvidia-cudnn"))
            continue;  // cudnn_installation_broken reports it
        auto changes = changed_files(package);
        if (changes.empty()) {
            result.passed("the libraries of the checked packages are unchanged");
            continue;
        }
        const std::string command = pip(&environment, again(package.name + "==" + package.version));
        Finding finding =
            changed(package, std::move(changes), remedy("package_files_missing", {command}));
        finding.confidence = Confidence::likely;
        result.fault(std::move(finding));
    }
}

/// Files of a framework's package are gone or were replaced: by another package
/// with the same files, an interrupted installation or a cleaned-up image.
Verdict package_files_missing(const Facts& facts, const Matrix&) {
    const auto environments = possibly_active(facts);
    if (environments.empty())
        return without_environment(facts, "packages");
    VerdictBuilder result;
    for (const PythonEnvironment* environment : environments)
        judge_packages(*environment, result);
    return result.finish_or(
        not_applicable("the active environment has none of the checked packages"));
}

using Packages = std::vector<const PythonPackage*>;

/// The package that a framework of this environment requests; else the newest of these.
static std::string to_install(
    const Facts& facts, const PythonEnvironment& environment, const Packages& packages) {
    for (const Framework& framework : facts.frameworks)
        if (framework.environment == environment.path && framework.cudnn_wanted)
            return *framework.cudnn_wanted;
    const PythonPackage& newest = **std::ranges::max_element(
        packages, {}, [](const auto* package) { return find_version(package->version, 1); });
    return newest.name + "==" + newest.version;
}

/// All are removed first: uninstalling one afterwards would delete shared
/// files.
static Remedy only_one_of(
    const Facts& facts, const PythonEnvironment& environment, const Packages& packages) {
    const auto names =
        mapped(packages, [](const PythonPackage* package) { return shell_quoted(package->name); });
    return remedy(
        "cudnn_installation_broken",
        {pip(&environment, "uninstall -y " + join(names, " ")),
         pip(&environment, again(to_install(facts, environment, packages)))});
}

/// Two cuDNN packages with the same files: each pair once. Files of another
/// major have other names.
static bool overwrite_each_other(const PythonPackage& a, const PythonPackage& b) {
    const auto a_version = find_version(a.version, 1), b_version = find_version(b.version, 1);
    return &a < &b && a.directory == b.directory && a_version && b_version &&
           a_version->major() == b_version->major();
}

/// Two packages in one directory before changed files, which follow from them.
static Verdict judge_cudnn_packages(const Facts& facts, const PythonEnvironment& environment) {
    Packages packages;
    for (const PythonPackage& package : environment.packages)
        if (is_cudnn(package))
            packages.push_back(&package);
    if (packages.empty())
        return not_applicable("no cuDNN package is installed in it");
    for (const PythonPackage* one : packages)
        for (const PythonPackage* other : packages)
            if (overwrite_each_other(*one, *other))
                return fault({
                    .subject = one->directory + "/nvidia/cudnn",
                    .message = one->name + ' ' + one->version + " and " + other->name + ' ' +
                               other->version +
                               " are both installed and overwrite each other's files in "
                               "the same directory",
                    .evidence =
                        {{one->name, one->version, "pythons"},
                         {other->name, other->version, "pythons"}},
                    .remedies = {only_one_of(facts, environment, {one, other})},
                });
    VerdictBuilder result;
    for (const PythonPackage* package : packages)
        if (auto changes = changed_files(*package); !changes.empty()) {
            Finding finding =
                changed(*package, std::move(changes), only_one_of(facts, environment, {package}));
            for (const Cudnn& cudnn : facts.cudnns)  // a mixture of versions follows from it
                if (cudnn.library.starts_with(package->directory + '/'))
                    finding.explains.push_back(cudnn.library);
            result.fault(std::move(finding));
        }
    return result.finish_or(pass("the cuDNN files are those of its package"));
}

/// The cuDNN package of a Python environment is not what pip installed: two of
/// them (-cu11 and -cu12) have overwritten each other, or files have changed
/// since.
Verdict cudnn_installation_broken(const Facts& facts, const Matrix&) {
    const auto environments = possibly_active(facts);
    if (environments.empty())
        return without_environment(facts, "packages");
    VerdictBuilder result;
    for (const PythonEnvironment* environment : environments)
        result.add(judge_cudnn_packages(facts, *environment));
    return result.finish();
}

/// Of "tensorflow 2.18.0" the name.
static std::vector<std::string> packages_of(const Framework& framework) {
    std::vector<std::string> packages = framework.other_packages;
    if (framework.package)
        packages.insert(packages.begin(), *framework.package);
    return mapped(
        packages, [](const std::string& package) { return package.substr(0, package.find(' ')); });
}

/// By the names under which the projects publish their builds for the CPU.
static bool is_without_cuda(const std::string& package) {
    return contains(package, "-cpu") || contains(package, "-intel") ||
           package == "intel-tensorflow" || package == "onnxruntime" || package == "paddlepaddle" ||
           package == "mxnet";
}

/// The one with CUDA: what is left when the others are gone.
static std::string one_to_keep(const Framework& framework, const std::vector<std::string>& names) {
    std::string name = names.front();
    const auto with = std::ranges::find_if_not(names, is_without_cuda);
    if (with != names.end())
        name = *with;
    // From 2.1 on the package tensorflow itself has CUDA:
    // https://pypi.org/project/tensorflow-gpu/
    if (name == "tensorflow-gpu" && framework.version && framework.version->major() >= 2)
        return "tensorflow";
    return name;
}

/// PaddlePaddle 3 with CUDA is in an index of its own: the table knows the command, for the CUDA of
/// the files if they are known.
static std::string install_of(
    const Facts& facts,
    const Matrix& matrix,
    const Framework& framework,
    const std::string& package) {
    const PythonEnvironment* environment = environment_of(facts, framework);
    Framework named = framework;
    named.build.reset();
    auto builds = builds_of(facts, matrix, named).with_cuda;
    std::erase_if(builds, [&](const FrameworkBuild& build) {
        return build.package != package || !by_pip(environment, build.install) ||
               (framework.cuda && build.cuda != framework.cuda);
    });
    if (builds.empty() || std::ranges::any_of(builds, is_default))
        return pip(environment, "install " + package + if_any("==", framework.version));
    return *by_pip(
        environment,
        install_command(of_version(builds.front(), *framework.version), std::nullopt, matrix));
}

/// A warning while the files with CUDA are in place: the next update may change
/// it.
static Finding both(const Facts& facts, const Matrix& matrix, const Framework& framework) {
    const auto names = packages_of(framework);
    const bool cuda_won = framework.uses_cuda.value_or(false);
    std::vector<std::string> listed = framework.other_packages;
    listed.insert(listed.begin(), framework.package.value_or(framework.name));
    const std::string install = install_of(facts, matrix, framework, one_to_keep(framework, names));
    std::string effect = "the files in place have no CUDA support", build = "without CUDA";
    if (cuda_won) {
        effect = "the CUDA files are in place until the other package is updated";
        build = "with CUDA";
    }
    return {
        .severity = error_if(!cuda_won),
        .subject = words_of(framework),
        .part = part_of(framework),
        .message = join_with_and(listed) +
                   " are installed in one environment and overwrite each other's files; " + effect,
        .evidence =
            {{"packages", join_with_and(listed), "frameworks"},
             {"build identified from its files", build, framework.evidence.value_or("frameworks")}},
        .remedies = {remedy(
            "cpu_and_gpu_packages_both_installed",
            {},
            {pip(facts, framework, "uninstall -y " + join(names, " ")), install})},
    };
}

/// Packages such as onnxruntime and onnxruntime-gpu have the same module: which
/// files are in place depends on the order in which pip installed them.
Verdict cpu_and_gpu_packages_both_installed(const Facts& facts, const Matrix& matrix) {
    const auto judge = [&](const Framework& framework, VerdictBuilder& result) {
        const auto names = packages_of(framework);
        const auto without = std::ranges::count_if(names, is_without_cuda);
        const bool mixed = without > 0 && without < static_cast<std::ptrdiff_t>(names.size());
        if (!framework.package && !framework.other_packages.empty())
            result.unknown("the installed packages of " + words_of(framework) + " are unknown");
        else if (mixed && !framework.uses_cuda)
            result.unknown(
                "the package that installed the files of " + words_of(framework) + " is unknown");
        else if (mixed)
            result.fault(both(facts, matrix, framework));
    };
    return over_frameworks(
        facts,
        matrix,
        "no framework in the active environment has both a CPU and a GPU package",
        judge);
}

/// A framework of that name (any for "") with CUDA, or unknown whether it has,
/// in an environment that is not the active one.
static const Framework* cuda_framework_elsewhere(const Facts& facts, const std::string& name) {
    return find_where(facts.frameworks, [&](const Framework& framework) {
        const PythonEnvironment* environment = environment_of(facts, framework);
        const bool wanted = name.empty() || framework.name == name;
        return environment && environment->active != true && wanted &&
               framework.uses_cuda.value_or(true);
    });
}

static bool has_frameworks(const Facts& facts, const PythonEnvironment& environment) {
    return find_by(facts.frameworks, &Framework::environment, environment.path);
}

/// The environment that a variable names, where the python on PATH is that of another one, which it
/// gives `on_path`.
static const PythonEnvironment* named_instead(
    const Facts& facts, const PythonEnvironment*& on_path) {
    on_path = find_where(facts.pythons, [](const auto& python) {
        return python.found_by == "PATH" && !python.passed_over;
    });
    const auto is_named = [](const PythonEnvironment& python) {
        return (python.found_by == "VIRTUAL_ENV" || python.found_by == "CONDA_PREFIX") &&
               !python.missing_interpreter;
    };
    if (!on_path)
        return nullptr;
    return find_where(facts.pythons, is_named);
}

/// How the environment is activated by the tool that created it.
static Remedy use(const std::string& text, const PythonEnvironment& environment) {
    const bool conda = environment.kind == "conda";
    const bool of_windows = contains(environment.path, "\\");
    if (of_windows && !conda)
        return remedy(
            "wrong_python_environment/windows",
            {text},
            {"& " + shell_quoted(environment.path + "\\Scripts\\Activate.ps1")});
    if (conda)
        return remedy("wrong_python_environment/conda", {text, environment.path});
    return remedy("wrong_python_environment/venv", {text, environment.path});
}

/// Only a note: the user may have meant the environment that was checked.
static Finding better_elsewhere(
    const Facts& facts,
    const PythonEnvironment& active,
    const Framework& better,
    const std::string& has) {
    const PythonEnvironment& other = *environment_of(facts, better);
    return {
        .severity = Severity::note,
        .subject = active.path,
        .message = words_of(better) + " with CUDA is installed in " + other.path +
                   "; the checked environment, " + active.path + ", has " + has,
        .evidence =
            {{"checked environment", active.path + " by " + active.found_by, "pythons"},
             {words_of(better), other.path, "frameworks"}},
        .remedies = {use("Activate that environment if it is the intended one", other)},
        .confidence = Confidence::possible,
    };
}

/// Another environment than the intended one may be in use: a variable of venv
/// or conda names one and PATH another, or the framework with CUDA is
/// elsewhere.
Verdict wrong_python_environment(const Facts& facts, const Matrix&) {
    const PythonEnvironment* active = active_environment(facts);
    if (!active)
        return without_environment(facts, "environments");
    if (!active->active)
        return undecided("which Python environment is active is unknown");
    if (active->found_by == "--python")
        return not_applicable("the environment was selected with --python");
    const PythonEnvironment* on_path = nullptr;
    const PythonEnvironment* named = named_instead(facts, on_path);
    if (named && (has_frameworks(facts, *named) || has_frameworks(facts, *on_path)))
        return fault({
            .subject = named->path,
            .message = named->found_by + " names " + named->path +
                       ", but the python on PATH is that of " + on_path->path,
            .evidence =
                {{named->found_by, named->path, "host.environment"},
                 {"python on PATH", on_path->interpreter.value_or(on_path->path), "pythons"}},
            .remedies = {use(
                "Activate the environment again, so that its python is first on PATH", *named)},
        });
    VerdictBuilder result;
    for (const Framework& framework : facts.frameworks) {
        const Framework* better = cuda_framework_elsewhere(facts, framework.name);
        if (framework.environment != active->path || framework.uses_cuda == true || !better)
            continue;
        if (framework.uses_cuda && better->uses_cuda)
            result.fault(better_elsewhere(facts, *active, *better, "a build without CUDA"));
        else
            result.unknown("whether the builds of " + framework.name + " have CUDA is unknown");
    }
    if (has_frameworks(facts, *active))
        return result.finish_or(pass("the checked environment is the one that runs"));
    if (const Framework* better = cuda_framework_elsewhere(facts, ""); better && better->uses_cuda)
        result.fault(better_elsewhere(facts, *active, *better, "no framework"));
    return result.finish_or(
        not_applicable("no framework is installed in the active Python environment"));
}

/// "3.11.7" of /home/ada/.pyenv/versions/3.11.7/bin/python3; empty for a path without it.
static std::string version_between(
    const std::string& path, std::string_view start, std::string_view end) {
    const auto begin = path.find(start);
    if (begin == std::string::npos)
        return "";
    const std::string rest = path.substr(begin + start.size());
    return rest.substr(0, rest.find_first_of(end));
}

/// The command of the tool that installed the missing interpreter; empty if none is known.
static std::string install_again(const PythonEnvironment& dead) {
    const std::string& interpreter = *dead.missing_interpreter;
    if (dead.kind == "conda") {
        std::string version;
        if (dead.version)
            version = "=" + shortened(*dead.version, 2).text;
        return "conda install --prefix " + shell_quoted(dead.path) + " python" + version;
    }
    if (const auto version = version_between(interpreter, "/.pyenv/versions/", "/");
        !version.empty())
        return "pyenv install " + shell_quoted(version);
    if (const auto version = version_between(interpreter, "/uv/python/cpython-", "-/");
        !version.empty())
        return "uv python install " + shell_quoted(version);
    if (const auto version = version_between(interpreter, "/mise/installs/python/", "/");
        !version.empty())
        return "mise install " + shell_quoted("python@" + version);
    if (const auto version = version_between(interpreter, "/.asdf/installs/python/", "/");
        !version.empty())
        return "asdf install python " + shell_quoted(version);
    return "";
}

/// Another interpreter of the same X.Y, whose packages have the same directory.
static const PythonEnvironment* with_same_version(
    const Facts& facts, const PythonEnvironment& dead) {
    return find_where(facts.pythons, [&](const PythonEnvironment& other) {
        const bool is_base =
            includes(std::vector<std::string>{"system", "pyenv", "asdf", "mise", "uv"}, other.kind);
        return is_base && other.interpreter && other.version && dead.version &&
               shortened(*other.version, 2) == shortened(*dead.version, 2);
    });
}

/// py is Python's launcher: https://docs.python.org/3/using/windows.html
static Remedy revived_on_windows(const PythonEnvironment& dead) {
    const std::string path = shell_quoted(dead.path);
    if (dead.kind == "conda")
        return remedy("python_interpreter_missing/install_again", {install_again(dead)});
    if (dead.version)
        return remedy(
            "python_interpreter_missing/windows", {shortened(*dead.version, 2).text, path});
    return remedy(
        "python_interpreter_missing/windows_create", {path, shell_quoted(dead.path + ".old")});
}

/// By what is gone: the environment with its interpreter, or the interpreter of
/// a tool or the system to which the environment's python links.
static Remedy revived(const Facts& facts, const PythonEnvironment& dead) {
    if (on_windows(facts))
        return revived_on_windows(dead);
    const std::string path = shell_quoted(dead.path);
    constexpr std::string_view kernel = "Jupyter kernel ";
    const bool is_removed = dead.missing_interpreter->starts_with(dead.path + '/');
    if (is_removed && dead.found_by.starts_with(kernel))
        return remedy(
            "python_interpreter_missing/kernel",
            {shell_quoted(dead.found_by.substr(kernel.size()))});
    if (const std::string command = install_again(dead); !command.empty())
        return remedy("python_interpreter_missing/install_again", {command});
    if (is_removed)
        return remedy("python_interpreter_missing/create", {path});
    const PythonEnvironment* same = with_same_version(facts, dead);
    if (same && !dead.package_directories.empty())
        return remedy(
            "python_interpreter_missing/same_version",
            {path, shortened(*dead.version, 2).text, shell_quoted(*same->interpreter)});
    return remedy("python_interpreter_missing/create_again", {path});
}

/// The examined one cannot run at all; what a variable names was meant to be used; the others may
/// be left-overs.
static Severity severity_of_dead(const PythonEnvironment& dead) {
    if (dead.active.value_or(true))
        return Severity::error;
    if (dead.found_by == "VIRTUAL_ENV" || dead.found_by == "CONDA_PREFIX")
        return Severity::warning;
    return Severity::note;
}

/// The python of an environment is a link to an interpreter that was removed or
/// replaced, e.g. by an upgrade of the system, so nothing runs in it.
Verdict python_interpreter_missing(const Facts& facts, const Matrix&) {
    if (facts.pythons.empty())
        return without_environment(facts, "environments");
    VerdictBuilder result;
    for (const PythonEnvironment& python : facts.pythons) {
        if (!python.missing_interpreter) {
            if (!python.interpreter)
                result.block_pass("an environment without an interpreter was found");
            continue;
        }
        result.fault({
            .severity = severity_of_dead(python),
            .subject = python.path,
            .message = "no program can run in the Python environment " + python.path +
                       ": its interpreter, " + *python.missing_interpreter + ", does not exist",
            .evidence =
                {{"environment", python.path + " by " + python.found_by, "pythons"},
                 {"interpreter that it needs", *python.missing_interpreter, "pythons"}},
            .remedies = {revived(facts, python)},
        });
    }
    return result.finish_or(pass("the interpreters of the environments exist"));
}

}  // namespace rnncheck::rules
