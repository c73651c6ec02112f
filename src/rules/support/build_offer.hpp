// Which published build of a release would run on this machine. Pure.
#pragma once

#include "compat/plan.hpp"
#include "rules/support/installed.hpp"

namespace rnncheck::rules {

/// The build with CUDA of the framework's release, whatever the flavour installed, that runs here best: machine code
/// before PTX code, all features before minor-version compatibility, one that brings its libraries before one that
/// wants them from the system. Its `install` is for that very release. Unset where none is known to run, or GPU or
/// driver are not known.
std::optional<PlannedBuild> best_build_here(const Facts& facts, const Matrix& matrix, Framework framework);

}  // namespace rnncheck::rules
