// Two machines compared, or one at two times: what differs of all that a verdict can depend on.
#pragma once

#include "report/diff.hpp"

namespace rnncheck {

/// Both judged by the same rules and tables.
Diff diff(const Report& a, const std::string& name_of_a, const Report& b, const std::string& name_of_b);

}  // namespace rnncheck
