// The environment of this process, bounded.
#pragma once

#include <string>
#include <vector>

#include "base/fields.hpp"
#include "base/files.hpp"

namespace rnncheck::probes {

/// The value, empty when unset; at most 64 KiB of it.
std::string variable(const char* name);

/// The variables that matter to CUDA, cuDNN, the frameworks and the loader, as they are set.
TextMap variables_that_matter();

/// Folders with Python packages: of the active environments, of the python on PATH, of the system and of the user.
std::vector<std::string> python_package_folders(const Root& root);

}  // namespace rnncheck::probes
