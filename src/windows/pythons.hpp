// The Python environments of this machine, and where its programs look for DLLs.
#pragma once

#include "files/dll/frameworks.hpp"

namespace rnncheck::windows {

/// A directory in which a Python may be, and what led to it.
struct FoundPython {
    std::string prefix;    ///< "C:/Users/ada/venv"; need not exist
    std::string found_by;  ///< PATH, VIRTUAL_ENV, CONDA_PREFIX or registry
};

/// In this order, so that the first is the one that `python` starts, where PATH has one.
/// On PATH the only installed one of the Microsoft Store counts, among several none.
std::vector<FoundPython> pythons_here(const Root& root);

/// PATH names a directory of the Microsoft Store before any other python.exe,
/// and which of its Pythons that starts is not known.
bool unknown_store_python_is_first(const Root& root);

/// With its own names of the directories of Windows and of programs.
dll::Disk disk_of_machine();

/// Those of pythons_here(), each once; at most 64.
std::vector<dll::Environment> environments_here(const dll::Disk& disk);

/// The environment that a person names: by its directory or python.exe, a
/// program on PATH ("python"), or a version that the registry has ("3.11").
/// InputError when there is none.
dll::Environment environment_named(const dll::Disk& disk, const std::string& text);

/// The full path of a program, which may be named without its
/// ending, by PATH or a path itself.
std::optional<std::string> program_named(const Root& root, const std::string& name);

/// As programs search that are started here.
dll::Search search_here();

/// The value of PATH that the registry has for a program which is started from
/// the desktop now; nothing when it has none.
std::optional<std::string> path_of_registry();

}  // namespace rnncheck::windows
