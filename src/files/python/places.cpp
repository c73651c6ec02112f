// Where the tools that create Python environments keep them, from their documentation:
// https://docs.conda.io/projects/conda/en/stable/user-guide/configuration/custom-env-and-pkg-locations.html
// https://mamba.readthedocs.io/en/latest/user_guide/micromamba.html
// https://docs.astral.sh/uv/reference/storage/
// https://python-poetry.org/docs/configuration/#virtualenvspath
// https://pipenv.pypa.io/en/latest/configuration.html (WORKON_HOME)
// https://virtualenvwrapper.readthedocs.io/en/latest/install.html#location-of-environments
// https://hatch.pypa.io/latest/plugins/environment/virtual/
// https://pdm-project.org/en/latest/usage/venv/
// https://pixi.sh/latest/workspace/environment/
// https://jupyter-client.readthedocs.io/en/stable/kernels.html#kernel-specs
#include <re2/re2.h>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "files/python/environments.hpp"

namespace rnncheck::python {

namespace {

using Paths = std::vector<std::string>;

/// Bounds for a directory or a tree that somebody else filled.
constexpr std::size_t most_names = 1024, most_prefixes = 4096;
constexpr int most_projects = 16;

Paths children(const Root& root, const std::string& directory) {
    if (!directory.starts_with('/'))
        return {};
    return mapped(root.names_in(directory, most_names), [&](const auto& name) {
        return directory + '/' + name;
    });
}

Paths grandchildren(const Root& root, const std::string& directory) {
    Paths found;
    for (const std::string& child : children(root, directory))
        append(found, children(root, child));
    return found;
}

/// The directories that are virtual environments themselves, such as ~/venv.
Paths virtual_environments_in(const Root& root, const std::string& directory) {
    Paths found = children(root, directory);
    std::erase_if(
        found, [&](const std::string& path) { return !root.exists(path + "/pyvenv.cfg"); });
    return found;
}

/// A variable with a relative path is ignored.
std::string variable_or(
    const Variables& variables, std::string_view name, const std::string& otherwise) {
    const std::string value = value_of(variables, name);
    if (value.starts_with('/'))
        return normal_path(value);
    return otherwise;
}

/// The working directory and those above it.
Paths project_places(const Root& root, const Variables& variables) {
    Paths found;
    std::string here = value_of(variables, "PWD");
    for (int up = 0; here.starts_with('/') && here != "/" && up < most_projects; ++up) {
        append(found, {here + "/.venv", here + "/venv", here + "/env"});
        append(found, children(root, here + "/.pixi/envs"));
        here = directory_of(here);
    }
    return found;
}

/// An installation of conda and its environments.
void add_conda(const Root& root, const std::string& prefix, Paths& found) {
    found.push_back(prefix);
    append(found, children(root, prefix + "/envs"));
}

void add_conda_places(const Root& root, const std::string& directory, Paths& found) {
    for (const char* name :
         {"/miniconda3",
          "/anaconda3",
          "/miniforge3",
          "/mambaforge",
          "/micromamba",
          "/mamba",
          "/conda",
          "/miniconda",
          "/anaconda",
          "/miniforge"})
        add_conda(root, directory + name, found);
}

/// What is below the home directory, in the places that no variable changes.
Paths home_places(const Root& root, const std::string& home) {
    Paths found;
    if (!home.starts_with('/'))
        return found;
    const std::string share = home + "/.local/share", cache = home + "/.cache";
    add_conda_places(root, home, found);
    add_conda(root, share + "/mamba", found);
    for (const std::string& directory :
         {home + "/.conda/envs",
          share + "/uv/python",
          share + "/uv/tools",
          share + "/pipx/venvs",
          home + "/.local/pipx/venvs",
          home + "/.virtualenvs",
          share + "/virtualenvs",
          cache + "/pypoetry/virtualenvs",
          share + "/pdm/venvs",
          home + "/.pyenv/versions",
          home + "/.asdf/installs/python",
          share + "/mise/installs/python"})
        append(found, children(root, directory));
    for (const std::string& version : children(root, home + "/.pyenv/versions"))
        append(found, children(root, version + "/envs"));
    for (const std::string& project : grandchildren(root, share + "/hatch/env/virtual"))
        append(found, children(root, project));
    for (const std::string& line :
         split(root.read(home + "/.conda/environments.txt", 1 << 16).value_or(""), '\n'))
        if (line.starts_with('/'))
            found.push_back(normal_path(line));
    append(found, virtual_environments_in(root, home));
    return found;
}

/// The same tools' places where variables move them.
Paths moved_places(const Root& root, const Variables& variables) {
    Paths found;
    const auto value = [&](std::string_view name) { return variable_or(variables, name, ""); };
    const auto add = [&](const std::string& directory) {
        append(found, children(root, directory));
    };
    add(value("CONDA_PREFIX") + "/envs");
    for (const char* name : {"CONDA_ENVS_PATH", "CONDA_ENVS_DIRS"})
        for (const std::string& directory : split(value_of(variables, name), ':'))
            add(directory);
    if (const std::string conda = value("CONDA_EXE"); !conda.empty())
        add_conda(root, directory_of(directory_of(conda)), found);
    if (const std::string mamba = value("MAMBA_ROOT_PREFIX"); !mamba.empty())
        add_conda(root, mamba, found);
    const std::string share = value("XDG_DATA_HOME"), cache = value("XDG_CACHE_HOME");
    if (!share.empty())
        for (const char* name :
             {"/uv/python", "/uv/tools", "/pipx/venvs", "/virtualenvs", "/pdm/venvs"})
            add(share + name);
    if (!cache.empty())
        add(cache + "/pypoetry/virtualenvs");
    if (const std::string poetry = value("POETRY_CACHE_DIR"); !poetry.empty())
        add(poetry + "/virtualenvs");
    for (const char* name :
         {"POETRY_VIRTUALENVS_PATH", "WORKON_HOME", "UV_PYTHON_INSTALL_DIR", "UV_TOOL_DIR"})
        add(value(name));
    add(value("PYENV_ROOT") + "/versions");
    add(value("ASDF_DATA_DIR") + "/installs/python");
    add(value("MISE_DATA_DIR") + "/installs/python");
    return found;
}

Paths system_places(const Root& root) {
    Paths found;
    add_conda_places(root, "/opt", found);
    found.push_back("/venv");
    append(found, virtual_environments_in(root, "/opt"));
    found.push_back("/usr");
    return found;
}

/// That of the user who ran sudo: accounts of a directory service are not in the file.
std::string home_of_sudo_user(const Root& root, const Variables& variables) {
    const std::string user = value_of(variables, "SUDO_USER");
    if (user.empty() || contains(user, "/"))
        return "";
    for (const std::string& line : split(root.read("/etc/passwd").value_or(""), '\n')) {
        const auto fields = split(line, ':');
        if (fields.size() > 5 && fields[0] == user)
            return normal_path(fields[5]);
    }
    return "/home/" + user;
}

/// A place and what led to it, as the report shows it.
struct Place {
    std::string path;  ///< a directory, or a kernel's interpreter
    std::string found_by;
};

/// The interpreter of a kernel.json, which is the first of its argv. Kernels
/// without a path of their own use the Jupyter server's.
std::optional<std::string> interpreter_of_kernel(const std::string& text) {
    static const re2::RE2 first(R"re("argv"\s*:\s*\[\s*"(/[^"\\]+)")re", re2::RE2::Latin1);
    std::string path;
    if (!re2::RE2::PartialMatch(text, first, &path))
        return std::nullopt;
    return path;
}

/// Jupyter's kernels name interpreters by their paths, wherever those are.
std::vector<Place> kernels(const Root& root, const Variables& variables, const Paths& homes) {
    Paths directories;
    for (const std::string& directory : split(value_of(variables, "JUPYTER_PATH"), ':'))
        if (directory.starts_with('/'))
            directories.push_back(normal_path(directory) + "/kernels");
    for (const std::string& home : homes)
        directories.push_back(home + "/.local/share/jupyter/kernels");
    append(directories, {"/usr/local/share/jupyter/kernels", "/usr/share/jupyter/kernels"});
    std::vector<Place> found;
    for (const std::string& directory : directories)
        for (const std::string& kernel : children(root, directory))
            if (const auto python =
                    interpreter_of_kernel(root.read(kernel + "/kernel.json", 1 << 16).value_or("")))
                found.push_back({*python, "Jupyter kernel " + file_name(kernel)});
    return found;
}

std::vector<Place> all_places(const Root& root, const Variables& variables) {
    std::vector<Place> places;
    const auto add = [&](const Paths& paths) {
        for (const std::string& path : paths)
            if (path.starts_with('/') && places.size() < most_prefixes)
                places.push_back({path, path == "/usr" ? "the system" : directory_of(path)});
    };
    Paths homes = {value_of(variables, "HOME"), home_of_sudo_user(root, variables)};
    std::erase(homes, "");
    add(project_places(root, variables));
    append(places, kernels(root, variables, homes));
    for (const std::string& home : homes)
        add(home_places(root, home));
    add(moved_places(root, variables));
    add(system_places(root));
    return places;
}

/// A kernel whose whole environment was removed.
PythonEnvironment removed_environment(const Place& place) {
    PythonEnvironment environment;
    environment.path = directory_of(directory_of(place.path));
    environment.kind = "venv";
    environment.missing_interpreter = place.path;
    return environment;
}

}  // namespace

std::vector<PythonEnvironment> other_environments(const Root& root, const Variables& variables) {
    std::vector<PythonEnvironment> found;
    for (const Place& place : all_places(root, variables)) {
        const bool is_kernel = place.found_by.starts_with("Jupyter");
        if (found.size() == most_environments)
            break;
        if (!is_kernel && (root.surely_absent(place.path) || root.link(place.path)))
            continue;
        std::optional<PythonEnvironment> environment;
        if (is_kernel || prefix_at(root, place.path))
            environment = environment_at(root, variables, place.path);
        if (!environment && is_kernel && root.surely_absent(place.path))
            environment = removed_environment(place);
        if (!environment || find_by(found, &PythonEnvironment::path, environment->path))
            continue;
        environment->found_by = place.found_by;
        found.push_back(std::move(*environment));
    }
    return found;
}

}  // namespace rnncheck::python
