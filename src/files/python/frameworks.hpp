// The frameworks of a Python environment and the packages around them.
#pragma once

#include "facts/packages.hpp"
#include "files/loader/loader.hpp"

namespace rnncheck::packages {

/// Lists what is installed, at most a hundred thousand names in each folder, and fills distributions, packages and
/// left_out of the environment. The lists of files are compared with the disk in the active environment alone.
std::vector<Framework> frameworks_of(const Root& root, PythonEnvironment& environment);

}  // namespace rnncheck::packages
