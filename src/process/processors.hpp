// How many processors this process may use.
#pragma once

#include "base/files.hpp"

namespace rnncheck::process {

/// At least 1: those of the affinity mask (taskset, Slurm), and no more than
/// the quota of the control group and of all groups around it (docker --cpus,
/// Kubernetes limits). `root` is for tests.
int usable_processors(const Root& root = {});

}  // namespace rnncheck::process
