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

/// What a shim of pyenv, asdf or mise runs. These managers put one small program per command into a directory `shims`
/// on PATH; which version it starts is decided at each start, by variables and files.
struct Shim {
    std::string manager;                      ///< pyenv, asdf or mise
    std::optional<std::string> prefix = {};   ///< of the version that is set: ~/.pyenv/versions/3.12.1
    std::optional<std::string> program = {};  ///< prefix/bin/python3, when it is there
    std::string set_by = {};                  ///< PYENV_VERSION, or the file that names the version
};

/// Nothing when the path is no shim. Without a prefix when no version is set, or one that is not installed.
std::optional<Shim> shim_at(const Root& root, const Variables& variables, const std::string& path);

/// From an interpreter's path. A shim is followed to the version that is set.
std::optional<Prefix> prefix_of_interpreter(const Root& root, const Variables& variables, const std::string& path);

}  // namespace rnncheck::python
