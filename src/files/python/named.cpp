// What --python names: a path, a project, a name on PATH, a version, the name
// of an environment.
#include <algorithm>

#include "base/lists.hpp"
#include "base/program.hpp"
#include "base/text.hpp"
#include "files/python/environments.hpp"

namespace rnncheck::python {

namespace {

using Paths = std::vector<std::string>;

/// "~/venv", also where quotes kept the shell from expanding it.
std::string absolute(const Variables& variables, const std::string& text) {
    const std::string home = value_of(variables, "HOME");
    if (text == "~" || text.starts_with("~/"))
        return normal_path(home + text.substr(1));
    return path_in(value_of(variables, "PWD"), text);
}

/// A directory of an environment or a python: what else is in a system's
/// or conda's bin is no Python.
bool is_python(const Root& root, const Variables& variables, const std::string& path) {
    const auto environment = environment_at(root, variables, path);
    const auto about = root.status(path);
    if (!environment || !about || !about->is_regular())
        return environment.has_value();
    const std::string name = file_name(path);
    return name.starts_with("python") || name.starts_with("pypy") ||
           root.exists(environment->path + "/pyvenv.cfg");
}

/// The path itself; ENV for ENV/bin; the environment in the directory of a project.
std::optional<std::string> environment_of_path(
    const Root& root, const Variables& variables, const std::string& path) {
    if (is_python(root, variables, path))
        return path;
    const std::string above = directory_of(path);
    if (file_name(path) == "bin" && root.exists(path) && is_python(root, variables, above))
        return above;
    for (const char* name : {"/.venv", "/venv", "/env", "/.pixi/envs/default"})
        if (is_python(root, variables, path + name))
            return path + name;
    return std::nullopt;
}

/// "3.11" is meant by 3.11.7, "3.11.7" by itself alone.
bool is_version_of(const Version& version, const Version& wanted) {
    const auto numbers = static_cast<std::size_t>(std::ranges::count(wanted.text, '.') + 1);
    return shortened(version, numbers) == wanted;
}

/// An interpreter of a version: pythonX.Y on PATH, else the newest that a tool
/// or the system installed. Environments of projects are none.
std::optional<std::string> interpreter_of_version(
    const Root& root, const Variables& variables, const Version& wanted) {
    const std::string name = "python" + shortened(wanted, 2).text;
    for (const std::string& program : programs_on_path(root, variables, name)) {
        const auto found = environment_at(root, variables, program);
        if (found && found->version && is_version_of(*found->version, wanted))
            return program;
    }
    std::optional<PythonEnvironment> newest;
    for (PythonEnvironment& other : other_environments(root, variables)) {
        const bool is_interpreter =
            includes(Paths{"pyenv", "asdf", "mise", "uv", "system"}, other.kind) &&
            !root.exists(other.path + "/pyvenv.cfg");
        if (!is_interpreter || !other.version || !is_version_of(*other.version, wanted))
            continue;
        if (!newest || *newest->version < *other.version)
            newest = std::move(other);
    }
    if (!newest)
        return std::nullopt;
    return newest->path;
}

/// Those of this name, such as ~/miniconda3/envs/rnn for "rnn"; "base" is conda's own.
Paths environments_of_name(const Root& root, const Variables& variables, const std::string& name) {
    Paths found;
    for (const PythonEnvironment& other : other_environments(root, variables)) {
        const bool is_base =
            name == "base" && other.kind == "conda" && root.exists(other.path + "/condabin");
        if (file_name(other.path) == name || is_base || other.found_by == "Jupyter kernel " + name)
            add_once(found, other.path);
    }
    return found;
}

std::string shortest_list(const Paths& paths) {
    constexpr std::size_t most_named = 4;
    const Paths first(
        paths.begin(),
        paths.begin() + static_cast<std::ptrdiff_t>(std::min(most_named, paths.size())));
    return join_with_and(first);
}

[[noreturn]] void reject(const Root& root, const Variables& variables, const std::string& text) {
    if (const auto programs = programs_on_path(root, variables, text); !programs.empty())
        throw InputError(
            "--python: '" + programs.front() +
            "' is no Python that rnncheck knows; give a Python interpreter");
    throw InputError(
        "--python: there is no Python interpreter or environment at '" + text +
        "'; give a python, the directory of an environment or of a project with one, "
        "a version such as "
        "3.11, the name of an environment, or a directory of packages");
}

}  // namespace

std::string path_of_python(const Root& root, const Variables& variables, const std::string& text) {
    if (const auto path = environment_of_path(root, variables, absolute(variables, text)))
        return *path;
    if (contains(text, "/") || text.starts_with('~'))
        reject(root, variables, text);
    for (const std::string& program : programs_on_path(root, variables, text))
        if (is_python(root, variables, program))
            return program;
    const std::string number = text.starts_with("python") ? text.substr(6) : text;
    if (const auto version = parse_version(number))
        if (const auto path = interpreter_of_version(root, variables, *version))
            return *path;
    const Paths named = environments_of_name(root, variables, text);
    if (named.size() > 1)
        throw InputError(
            "--python: several environments are named '" + text + "': " + shortest_list(named) +
            "; give one of these paths");
    if (named.empty())
        reject(root, variables, text);
    return named.front();
}

}  // namespace rnncheck::python
