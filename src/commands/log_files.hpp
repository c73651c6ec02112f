// Logs from files that the user names.
#pragma once

#include <string>
#include <vector>

#include "log/read_log.hpp"

namespace rnncheck {

/// "-" is standard input; pipes are read to their end. InputError when a file cannot be read.
Log read_log_files(const std::vector<std::string>& paths, const Matrix& matrix);

}  // namespace rnncheck
