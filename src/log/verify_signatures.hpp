// What is wrong with the patterns and literals of the table log_signatures.
#pragma once

#include "matrix/verify.hpp"

namespace rnncheck {

/// By row; rows that cannot be read are left out, verify() tells those.
std::vector<Issue> verify_signatures(const TableFiles& files);

}  // namespace rnncheck
