// Which directories of LD_LIBRARY_PATH contain libraries of CUDA, and come before those of Python
// packages.
#pragma once

#include <string>
#include <vector>

#include "base/fields.hpp"

namespace rnncheck {

struct PathDirectory {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(std::string, directory, "as in the variable");
    RNNCHECK_FIELD(
        std::vector<std::string>, cuda_libraries, "file names in it, without the driver's");
    RNNCHECK_FIELDS_END
};

struct LibraryPath {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(std::vector<PathDirectory>, directories, "of LD_LIBRARY_PATH, in order");
    RNNCHECK_FIELDS_END
};

/// Of this process, as its commands inherit it. Empty where a directory's file system does not
/// respond.
LibraryPath library_path();

/// The first directory that contains a library which one of the texts names; null if none does.
const PathDirectory* directory_named_in(
    const LibraryPath& path, const std::vector<std::string>& texts);

/// A shell command that removes the directories of CUDA from the variable.
std::string command_without_cuda(const LibraryPath& path);

}  // namespace rnncheck
