// What a package manager's message shows about the package that it does not find.
#pragma once

#include "rules/causes/log_causes.hpp"

namespace rnncheck::rules {

/// The framework and version that pip was requested: "tensorflow==1.13.1". Unset for other
/// packages, and for ranges of versions.
std::optional<stack::Framework> requested_framework(const LogContext& log);

/// Where pip does not find a version of a framework that the tables know: the Pythons that have a
/// package of it.
void name_pythons_of_requested(Remedy& remedy, const LogContext& log);

}  // namespace rnncheck::rules
