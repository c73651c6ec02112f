// What else a reader must know where the program runs: a cluster, a container, a notebook of a
// service, conda.
#pragma once

#include "rules/causes/log_causes.hpp"

namespace rnncheck::rules {

/// Text and commands for a cluster, a container and its host, and the variable in which the
/// reader's system has the directories of libraries.
void fit_to_place(Remedy& remedy, const LogCause& cause, const LogContext& log);

/// How a notebook of a service or an environment of conda installs packages. `installs`: the
/// remedy does.
void fit_to_installer(Remedy& remedy, const LogCause& cause, bool installs, const LogContext& log);

}  // namespace rnncheck::rules
