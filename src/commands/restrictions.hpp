// What keeps rnncheck itself from examining a machine fully: a sandbox, a container, a full process table.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "facts/facts.hpp"

namespace rnncheck {

/// In sentences, from what the survey put on record and from whether this process may make temporary files.
std::vector<std::string> restrictions_of(const Facts& facts);

/// What cannot be examined where a directory of the system, one of host.hidden_directories, shows nothing.
std::string without_directory(const std::string& directory);

/// What follows when no file can be made in process::temporary_directory(), for the reason given.
std::string without_temporary_files(const std::string& reason);

}  // namespace rnncheck
