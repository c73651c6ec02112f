// Facts of earlier schemas as those of today. Pure.
#pragma once

#include "base/json.hpp"

namespace rnncheck {

/// Gives facts of schema 2 or 3 the members and values of today's, each run
/// with its case in it; facts of today stay as they are. InputError names the
/// place of what has the wrong form.
void upgrade_facts(Json& facts);

/// The text of a report of schema 2 or 3, or of such facts alone, as a document
/// of today's schema. InputError where it is neither.
Json report_in_current_schema(const std::string& text);

}  // namespace rnncheck
