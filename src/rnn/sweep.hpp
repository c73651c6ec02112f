// Which cases to run.
#pragma once

#include "rnn/compare.hpp"

namespace rnncheck {

/// `quick` is what the doctor runs; each level holds the one before.
enum class Level { quick, standard, thorough };
RNNCHECK_ENUM_NAMES(Level, "quick", "standard", "thorough")

/// The cases of a level, in order, each as it is to be run. `number` in a report is index + 1. Cases that a dialect
/// cannot express (bf16, fma, small_h in the legacy one) are left out.
std::vector<RnnCase> sweep(Level level, Dialect dialect);

/// Whether the interface has words for the case.
bool expressible(const RnnCase& rnn_case, Dialect dialect);

}  // namespace rnncheck
