// Plans for people.
#pragma once

#include <string>

#include "report/format.hpp"
#include "report/plan_documents.hpp"

namespace rnncheck {

/// One block per framework: the newest release that runs, what it is made of, how to install it, and why no newer one.
/// With style.verbose also the sources.
std::string plan_text(const PlanDocument& document, const Style& style);

/// One block per build.
std::string plan_text(const NeedsDocument& document, const Style& style);

}  // namespace rnncheck
