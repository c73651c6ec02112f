// What is wrong with a set of tables, the table of log messages included.
#pragma once

#include <vector>

#include "matrix/verify.hpp"

namespace rnncheck {

/// As of today.
std::vector<Issue> complaints_about(const Tables& tables);

}  // namespace rnncheck
