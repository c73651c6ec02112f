// The environment of this process, as the libraries that probes open see it too.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/fields.hpp"

namespace rnncheck::probes {

/// The variable's value; unset and empty are two things.
std::optional<std::string> variable(const char* name);

/// Its value if it names a folder by an absolute path, else nothing.
std::optional<std::string> folder_variable(const char* name);

/// Those that say where Python and its packages are (packages/environments.hpp).
std::map<std::string, std::string, std::less<>> python_variables();

/// The variables that matter to CUDA, cuDNN, the frameworks' use of them and the loader; values of at most 4096 bytes.
TextMap variables_that_matter();

}  // namespace rnncheck::probes
