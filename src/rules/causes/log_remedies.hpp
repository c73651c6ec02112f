// What to do about a cause that a log points to, in the versions and for the shell that the log tells of. Pure.
#pragma once

#include "report/finding.hpp"
#include "rules/causes/log_features.hpp"

namespace rnncheck::rules {

/// The cause's own, after the container images of a framework of which no build runs on the log's GPU.
std::vector<Remedy> remedies_for(const LogCause& cause, const KnownOfLog& t);

/// The check of the cause that decides.
DecidingCheck check_for(const LogCause& cause, const KnownOfLog& t);

}  // namespace rnncheck::rules
