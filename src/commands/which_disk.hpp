// `rnncheck which --root DIR`: a disk of Windows, on any system.
#pragma once

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

}  // namespace rnncheck::commands
