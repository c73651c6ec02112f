// What to do about a cause that a log points to, in the versions and for the shell that the log tells of. Pure.
#pragma once

#include "report/finding.hpp"
#include "rules/causes/log_features.hpp"

namespace rnncheck::rules {

/// Only a Unix shell runs it: programs, paths or syntax that neither cmd.exe nor PowerShell has.
bool is_for_unix(std::string_view command);

/// One remedy, or one for each pair of CUDA and cuDNN that the log leaves open.
std::vector<Remedy> remedies_for(const LogCause& cause, const KnownOfLog& t);

/// The check of the cause that decides.
DecidingCheck check_for(const LogCause& cause, const KnownOfLog& t);

}  // namespace rnncheck::rules
