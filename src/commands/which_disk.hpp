// `rnncheck which` about DLLs: --root DIR names a disk of Windows, on any system.
#pragma once

#include "files/dll/frameworks.hpp"
#include "matrix/matrix.hpp"
#include "report/documents.hpp"

namespace rnncheck::commands {

struct DiskQuestion {
    std::string root;  ///< where the disk is mounted
    std::optional<std::string>
        target;  ///< an environment or its python.exe, as Windows or this system names it
    std::optional<std::string> path;  ///< the value of PATH there
    bool all = false;                 ///< every DLL, not those alone that concern the GPU
};

/// What the frameworks of the disk's Python environments load, and what is wrong with that.
/// InputError when there is no such environment, or no Windows.
WhichDocument which_on_disk(const DiskQuestion& question);

/// Problem for an error among the findings; undetermined when PATH decides about a DLL and is not
/// known.
int exit_code_of_disk(const WhichDocument& document);

/// Adds what the frameworks of one environment load, and the findings; `again` is the command that
/// shows whether a remedy helped. Returns what they load.
std::vector<dll::FrameworkLoads> add_environment(
    const dll::Disk& disk,
    const dll::Search& search,
    dll::Environment environment,
    const Matrix& matrix,
    const std::string& again,
    WhichDocument& document);

/// Names of users and home directories are replaced, and a note reports it.
WhichDocument without_private(const WhichDocument& document);

}  // namespace rnncheck::commands
