// Where DLLs of CUDA and cuDNN are on Windows.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/files.hpp"
#include "facts/libraries.hpp"

namespace rnncheck::windows {

/// "C:/Windows" of "C:\Windows".
std::string slashed(std::string path);

/// The directories of PATH, in its order; without quotes and empty entries.
std::vector<std::string> directories_of_path();

/// A directory, and as what a file in it counts.
struct Place {
    std::string directory;
    FoundVia via;
};

/// In the order in which Windows looks for a DLL that is opened by its name,
/// then those in which only a program looks that knows them: toolkits, NVIDIA's
/// installer of cuDNN, wheels, conda. Directories need not exist.
std::vector<Place> places_of_libraries(const Root& root);

}  // namespace rnncheck::windows
