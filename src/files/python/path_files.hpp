// The *.pth files of a folder of packages, which add further folders.
#pragma once

#include <string>
#include <vector>

#include "base/files.hpp"

namespace rnncheck::packages {

struct PathFiles {
    std::vector<std::string> folders;   ///< those that are there, in the order in which Python appends them
    std::vector<std::string> left_out;  ///< what cannot be followed without running it
};

/// Python's own reading of them: https://docs.python.org/3/library/site.html. A line that begins with `import` is code,
/// which is not run; where it is that of an editable installation this is said.
PathFiles path_files_of(const Root& root, const std::string& folder);

}  // namespace rnncheck::packages
