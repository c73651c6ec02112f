// Python environments, found by files and names alone: no interpreter is started.
#pragma once

#include <map>

#include "base/files.hpp"
#include "facts/packages.hpp"

namespace rnncheck::python {

/// The environment variables that concern Python: PATH, HOME, VIRTUAL_ENV, CONDA_PREFIX, PYTHONPATH, PYENV_ROOT, ...
using Variables = std::map<std::string, std::string, std::less<>>;

/// Those of this process that matter to the search.
Variables variables_of_process();

/// Empty when it is not set.
std::string value_of(const Variables& variables, std::string_view name);

/// Without "..", "." and slashes at its end, from the text alone.
std::string normal_path(const std::string& path);

/// What one name leads to: an interpreter, a directory of an environment, or a bare directory of packages. Nothing when
/// it is none of these. Directories of the result are sorted as Python searches them.
std::optional<PythonEnvironment> environment_at(const Root& root, const Variables& variables, const std::string& path);

/// The environment whose frameworks are evaluated: the one that --python names, else VIRTUAL_ENV, CONDA_PREFIX, the
/// python on PATH.
std::optional<PythonEnvironment> active_environment(const Root& root, const Variables& variables,
                                                    const std::optional<std::string>& asked);

/// The python on PATH; a name that leads nowhere is passed over.
std::optional<PythonEnvironment> environment_on_path(const Root& root, const Variables& variables);

/// Those in the places of conda, pyenv, uv and pipx, the usual names of virtual environments in the current directory,
/// and the system's; at most 64.
std::vector<PythonEnvironment> other_environments(const Root& root, const Variables& variables);

// What the name of a python leads to: the directory of its environment and its version.

/// An environment as its directory shows it; its version is as exact as names and pyvenv.cfg are. `base` is the prefix
/// whose standard library and site-packages a virtual environment builds on.
struct Prefix : PythonEnvironment {
    std::string base;
    bool sees_user_site = true;  ///< virtual environments do not, unless made with --system-site-packages
};

/// From a directory; nothing when it shows no sign of an environment.
std::optional<Prefix> prefix_at(const Root& root, const std::string& directory);

/// From an interpreter's path. A shim of pyenv is followed to the version that is set.
std::optional<Prefix> prefix_of_interpreter(const Root& root, const Variables& variables, const std::string& path);

}  // namespace rnncheck::python
