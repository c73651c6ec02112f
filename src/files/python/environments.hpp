// Python environments, found by files and names alone: no interpreter is started.
#pragma once

#include <map>

#include "base/files.hpp"
#include "facts/packages.hpp"

namespace rnncheck::python {

/// The environment variables that concern Python: PATH, HOME, VIRTUAL_ENV,
/// CONDA_PREFIX, PYTHONPATH, PYENV_ROOT, ... PWD is the working directory, and
/// `own_program` the path of rnncheck.
using Variables = std::map<std::string, std::string, std::less<>>;

/// Those of this process that matter to the search.
Variables variables_of_process();

/// Empty when it is not set.
std::string value_of(const Variables& variables, std::string_view name);

/// Without "..", "." and slashes at its end, from the text alone.
std::string normal_path(const std::string& path);

/// The normal path of `path`, which is in `directory` unless it is absolute.
std::string path_in(const std::string& directory, const std::string& path);

/// What one name leads to: an interpreter, a directory of an environment, or a
/// bare directory of packages. Nothing when it is none of these. Directories of
/// the result are sorted as Python searches them.
std::optional<PythonEnvironment> environment_at(
    const Root& root, const Variables& variables, const std::string& path);

/// The environment whose frameworks are evaluated, which is `active`, and those that
/// a person may have meant instead, each with the reason in `passed_over`. First: the
/// one that --python names; that of `python -m rnncheck`; that of ENV/bin/rnncheck if
/// it has a framework; that of the python on PATH; VIRTUAL_ENV; CONDA_PREFIX.
std::vector<PythonEnvironment> chosen_environments(
    const Root& root, const Variables& variables, const std::optional<std::string>& requested);

/// The active one of them.
std::optional<PythonEnvironment> active_environment(
    const Root& root, const Variables& variables, const std::optional<std::string>& requested);

/// The environment of the python on PATH, or where there is none of python3, as a
/// shell finds it. One that cannot be followed to an environment is passed over.
std::optional<PythonEnvironment> environment_on_path(const Root& root, const Variables& variables);

/// The executable files of a name on PATH, in the order in which a shell looks for them.
std::vector<std::string> programs_on_path(
    const Root& root, const Variables& variables, const std::string& name);

/// More than anybody has; a bound for directories that somebody else filled.
inline constexpr std::size_t most_environments = 64;

/// Those in the places of the tools that create environments, in the current
/// directory and those above it, in the home directory, those of Jupyter's kernels,
/// and the system's; at most `most_environments`. After sudo also those of its user.
std::vector<PythonEnvironment> other_environments(const Root& root, const Variables& variables);

/// What a person means by a path, a project's directory ("~/project"), a name on PATH
/// ("python3.11"), a version ("3.11") or the name of an environment ("rnn"): a path
/// for environment_at.
/// InputError if it is none of these, or several.
std::string path_of_python(const Root& root, const Variables& variables, const std::string& text);

// What the name of a python leads to: the directory of its environment and its version.

/// An environment as its directory shows it; its version is as exact as names
/// and pyvenv.cfg are. `base` is the prefix whose standard library and
/// site-packages a virtual environment builds on.
struct Prefix : PythonEnvironment {
    std::string base;
    /// Of `uv run --with PACKAGE`: an environment that is gone afterwards,
    /// with PACKAGE on top of this one.
    std::string overlay = {};
    /// virtual environments do not, unless made with --system-site-packages
    bool sees_user_site = true;
};

/// An environment whose own interpreter does not exist: a path of it for each
/// way to name it.
std::optional<Prefix> dead_environment_at(const Root& root, const std::string& path);

/// From a directory; nothing when it shows no sign of an environment.
std::optional<Prefix> prefix_at(const Root& root, const std::string& directory);

/// What a shim of pyenv, asdf or mise runs. These managers put one small
/// program per command into a directory `shims` on PATH; which version it
/// starts is decided at each start, by variables and files.
struct Shim {
    /// pyenv, asdf or mise
    std::string manager;
    /// ~/.pyenv/versions/3.12.1/bin/python3, when it is there
    std::optional<std::string> program = {};
    /// as it is set: 3.12.1, 3.12, "3.12.1 3.11", system
    std::string version = {};
    /// PYENV_VERSION, or the file that names the version
    std::string set_by = {};
};

/// "no version is set", "version 3.9, set by PYENV_VERSION, is not installed";
/// of a shim without a program.
std::string why_without_program(const Shim& shim);

/// Nothing when the path is no shim. Without a program when no version is set,
/// or one that is not installed.
std::optional<Shim> shim_at(const Root& root, const Variables& variables, const std::string& path);

/// From an interpreter's path. A shim is followed to the version that is set.
std::optional<Prefix> prefix_of_interpreter(
    const Root& root, const Variables& variables, const std::string& path);

}  // namespace rnncheck::python
