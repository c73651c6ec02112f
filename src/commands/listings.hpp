// What rnncheck is made of, for `list`.
#pragma once

#include "report/documents.hpp"

namespace rnncheck {

/// rules, probes, formats, tables, commands.
std::vector<std::string> listing_kinds();

/// UsageError when there is no such kind.
ListDocument listing_of(const std::string& kind);

}  // namespace rnncheck
