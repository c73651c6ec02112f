// A distribution's list of files against the disk.
#pragma once

#include "facts/packages.hpp"
#include "files/python/distributions.hpp"

namespace rnncheck::packages {

/// Fills missing_files and changed_files with the shared libraries that are gone or have another size, at most 32 of
/// each. Of a list longer than 32 MiB the beginning counts, which is told in `left_out`.
void compare_files(const Root& root, const Distribution& distribution, PythonPackage& package,
                   std::vector<std::string>& left_out);

}  // namespace rnncheck::packages
