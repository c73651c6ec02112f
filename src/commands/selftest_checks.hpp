// Whether rnncheck can do its work here: in this sandbox, container, account, and as this build.
#pragma once

#include <vector>

#include "report/documents.hpp"

namespace rnncheck {

/// All checks, in a fixed order; takes some two seconds, most of them waiting for a planted hang.
std::vector<SelftestCheck> selftest_checks();

}  // namespace rnncheck
