// `which` for people. Text from files goes through shown() on its way to the page.
#pragma once

#include <string>

#include "report/format.hpp"
#include "report/which_documents.hpp"

namespace rnncheck {

/// A paragraph per library: the copy, the rule, who asks for it, and the other copies with the reason against each.
std::string which_text(const WhichDocument& document, const Style& style);

}  // namespace rnncheck
