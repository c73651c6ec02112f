// Names of nodes as cluster tools write them: "gpu[001-016,018],login1".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rnncheck {

/// Sorted, with each name once; numbers with different padding are different ranges.
std::string nodeset_of(std::vector<std::string> names);

/// The names. UsageError if the text is not a nodeset or has more than a million names.
std::vector<std::string> names_of_nodeset(std::string_view nodeset);

}  // namespace rnncheck
