// What stands behind the name of a python: the directory of its environment and its version.
#pragma once

#include "files/python/environments.hpp"

namespace rnncheck::python {

/// One environment as its directory shows it. `base` is the prefix whose standard library and site-packages a virtual
/// environment builds on.
struct Prefix {
    std::string path;
    std::string base;
    std::string kind;
    std::optional<Version> version;  ///< as exactly as names and pyvenv.cfg tell
    std::string interpreter;
    bool sees_user_site = true;  ///< virtual environments do not, unless made with --system-site-packages
};

/// From a directory; nothing when it shows no sign of an environment.
std::optional<Prefix> prefix_at(const Root& root, const std::string& directory);

/// From an interpreter's path. A shim of pyenv is followed to the version that is set.
std::optional<Prefix> prefix_of_interpreter(const Root& root, const Variables& variables, const std::string& path);

/// The major.minor of lib/pythonX.Y; the newest where there are several.
std::optional<Version> version_of_library_directory(const Root& root, const std::string& prefix);

}  // namespace rnncheck::python
