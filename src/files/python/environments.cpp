// sys.path as Python would build it, from files and variables:
// https://docs.python.org/3/library/site.html. Nothing is run, so code in
// *.pth files is only recognised.
#include "files/python/environments.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <filesystem>

#include "base/lists.hpp"
#include "base/program.hpp"
#include "base/text.hpp"

namespace rnncheck::python {

namespace {

constexpr std::size_t most_directories = 32;

std::string without_slashes(std::string path) {
    while (path.size() > 1 && path.back() == '/')
        path.pop_back();
    return path;
}

bool is_directory(const Root& root, const std::string& path) {
    const auto about = root.status(path);
    return about && about->is_directory();
}

/// Where packages are below a prefix. The system's python searches Debian's
/// dist-packages instead of site-packages.
std::vector<std::string> directories_below(const std::string& prefix, const std::string& python) {
    std::vector<std::string> directories;
    if (prefix == "/usr")
        directories = {
            "/usr/local/lib/python" + python + "/dist-packages",
            prefix + "/lib/python3/dist-packages",
            prefix + "/lib/python" + python + "/dist-packages"};
    append(
        directories,
        {prefix + "/lib/python" + python + "/site-packages",
         prefix + "/lib64/python" + python + "/site-packages"});
    return directories;
}

/// In the order of sys.path: PYTHONPATH, the user's, the environment's, those
/// of the one that it builds on.
std::vector<std::string> candidates(const Variables& variables, const Prefix& prefix) {
    std::vector<std::string> directories;
    for (const std::string& directory : split(value_of(variables, "PYTHONPATH"), ':'))
        if (directory.starts_with('/'))
            directories.push_back(without_slashes(directory));
    if (!prefix.version)
        return directories;
    const std::string python = shortened(*prefix.version, 2).text;
    std::string user = value_of(variables, "PYTHONUSERBASE");
    if (user.empty() && !value_of(variables, "HOME").empty())
        user = value_of(variables, "HOME") + "/.local";
    if (prefix.sees_user_site && value_of(variables, "PYTHONNOUSERSITE").empty() &&
        user.starts_with('/'))
        directories.push_back(user + "/lib/python" + python + "/site-packages");
    if (!prefix.overlay.empty())
        append(directories, directories_below(prefix.overlay, python));
    append(directories, directories_below(prefix.path, python));
    if (prefix.base != prefix.path && prefix.sees_user_site)
        append(directories, directories_below(prefix.base, python));
    return directories;
}

/// Each real directory once, as Python removes duplicates (site.removeduppaths).
std::vector<std::string> existing(const Root& root, const std::vector<std::string>& directories) {
    std::vector<std::string> found, real;
    for (const std::string& directory : directories) {
        if (found.size() == most_directories || !is_directory(root, directory))
            continue;
        const auto path = root.real_path(directory);
        if (!path || includes(real, *path))
            continue;
        real.push_back(*path);
        found.push_back(directory);
    }
    return found;
}

constexpr std::size_t most_path_files = 100, most_bytes = 64 << 10;

/// The directories in the code with which `uv run --with` puts environments on
/// top of each other:
/// site.addsitedir(__import__("os").fsdecode(b"/home/ada/project/.venv/lib/python3.11/site-packages"))
std::vector<std::string> overlaid_directories(const std::string& line) {
    static const re2::RE2 path(
        R"re(addsitedir\([^"')]*(?:\("os"\)\.fsdecode\()?b?["'](/[^"'\\]+)["'])re",
        re2::RE2::Latin1);
    std::vector<std::string> found;
    re2::StringPiece left(line);
    for (std::string one; re2::RE2::FindAndConsume(&left, path, &one);)
        found.push_back(normal_path(one));
    return found;
}

/// Adds the directories that the *.pth files of a directory of packages add, in the
/// order in which Python appends them: https://docs.python.org/3/library/site.html.
/// A line that begins with `import` is code, which is not run; where it is that of
/// an editable installation this is noted.
void add_path_files(
    const Root& root,
    const std::string& directory,
    std::vector<std::string>& found,
    std::vector<std::string>& left_out) {
    std::size_t files = 0, lines_taken = 0;
    for (const std::string& name : root.names_in(directory)) {
        if (!name.ends_with(".pth") || name.starts_with('.') || ++files > most_path_files)
            continue;
        const std::string file = directory + '/' + name;
        for (const std::string& raw : split(root.read(file, most_bytes).value_or(""), '\n')) {
            const std::string line(trim(raw));
            const bool code = line.starts_with("import ") || line.starts_with("import\t");
            if (code && name == "_uv_ephemeral_overlay.pth")
                for (const std::string& overlaid : overlaid_directories(line))
                    add_once(found, overlaid);
            if (code && name.starts_with("__editable__"))
                add_once(
                    left_out, file + " finds an editable installation by code, which is not run");
            if (code || line.empty() || line.starts_with('#') || lines_taken == most_directories)
                continue;
            const std::string path = path_in(directory, line);
            if (root.names_in(path, 1).empty())
                continue;
            ++lines_taken;
            add_once(found, path);
        }
    }
}

/// With the directories that its *.pth files add. Those of PYTHONPATH have none that count.
void set_directories(
    const Root& root,
    const Variables& variables,
    const std::vector<std::string>& directories,
    PythonEnvironment& environment) {
    const auto from_variable = split(value_of(variables, "PYTHONPATH"), ':');
    std::vector<std::string> all = directories;
    for (const std::string& directory : directories)
        if (!includes(from_variable, directory))
            add_path_files(root, directory, all, environment.skipped);
    environment.package_directories = existing(root, all);
}

/// A prefix becomes an environment with the directories that Python searches for it.
PythonEnvironment described(const Root& root, const Variables& variables, Prefix prefix) {
    set_directories(root, variables, existing(root, candidates(variables, prefix)), prefix);
    return prefix;
}

/// What pip install --target makes, or a site-packages directory itself.
std::optional<PythonEnvironment> bare_directory(
    const Root& root, const Variables& variables, const std::string& path) {
    const auto names = root.names_in(path);
    const bool has_packages = std::ranges::any_of(names, [](const std::string& name) {
        return name.ends_with(".dist-info") || name.ends_with(".egg-info") ||
               name.ends_with(".pth");
    });
    if (!has_packages)
        return std::nullopt;
    PythonEnvironment environment{.path = path, .kind = "directory"};
    set_directories(root, variables, {path}, environment);
    return environment;
}

/// As the shell names it, which may be by a link.
std::string working_directory() {
    std::error_code error;
    const auto named = directory_variable("PWD");
    if (named && std::filesystem::equivalent(*named, ".", error))
        return normal_path(*named);
    const auto here = std::filesystem::current_path(error);
    if (error)
        return "/";
    return here.string();
}

}  // namespace

std::string value_of(const Variables& variables, std::string_view name) {
    const std::string* const value = look_up(variables, name);
    if (!value)
        return "";
    return *value;
}

std::string normal_path(const std::string& path) {
    return without_slashes(std::filesystem::path(path).lexically_normal().string());
}

std::string path_in(const std::string& directory, const std::string& path) {
    if (path.starts_with('/'))
        return normal_path(path);
    return normal_path(directory + '/' + path);
}

Variables variables_of_process() {
    Variables found;
    for (const char* name :
         {"PATH",
          "HOME",
          "VIRTUAL_ENV",
          "CONDA_PREFIX",
          "CONDA_EXE",
          "CONDA_ENVS_PATH",
          "CONDA_ENVS_DIRS",
          "MAMBA_ROOT_PREFIX",
          "PYTHONPATH",
          "PYTHONUSERBASE",
          "PYTHONNOUSERSITE",
          "PYENV_ROOT",
          "PYENV_VERSION",
          "ASDF_DATA_DIR",
          "ASDF_PYTHON_VERSION",
          "MISE_DATA_DIR",
          "MISE_PYTHON_VERSION",
          "POETRY_CACHE_DIR",
          "POETRY_VIRTUALENVS_PATH",
          "WORKON_HOME",
          "UV_PYTHON_INSTALL_DIR",
          "UV_TOOL_DIR",
          "JUPYTER_PATH",
          "XDG_CACHE_HOME",
          "XDG_CONFIG_HOME",
          "XDG_DATA_HOME",
          "SUDO_USER",
          "RNNCHECK_PYTHON"})
        if (auto value = environment_variable(name))
            found.emplace(name, std::move(*value));
    found.emplace("PWD", working_directory());
    if (const auto program = Root().link("/proc/self/exe"))
        found.emplace("own_program", *program);
    return found;
}

/// A link to nowhere is still an environment: its interpreter is missing.
std::optional<PythonEnvironment> environment_at(
    const Root& root, const Variables& variables, const std::string& path) {
    const std::string name = without_slashes(path);
    if (!name.starts_with('/'))
        return std::nullopt;
    if (!root.exists(name)) {
        const auto dead = dead_environment_at(root, name);
        if (!dead)
            return std::nullopt;
        return described(root, variables, *dead);
    }
    if (!is_directory(root, name)) {
        const auto prefix = prefix_of_interpreter(root, variables, name);
        if (!prefix)
            return std::nullopt;
        return described(root, variables, *prefix);
    }
    if (const auto prefix = prefix_at(root, name))
        return described(root, variables, *prefix);
    return bare_directory(root, variables, name);
}

}  // namespace rnncheck::python
