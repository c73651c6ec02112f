// Which cases to run.
#pragma once

#include "rnn/framework_choice.hpp"

namespace rnncheck {

/// `quick` is what the doctor runs; each level holds the one before.
RNNCHECK_ENUM(Level, quick, standard, thorough)

/// The cases of a level, in order, each as it is to be run. `number` in a report is index + 1. The
/// quick level holds what PyTorch, TensorFlow and JAX request by default at that place. Cases that
/// the interface cannot express are left out.
std::vector<RnnCase> sweep(Level level, const RnnPlace& place);

/// Whether the interface has words for the case.
bool expressible(const RnnCase& rnn_case, const RnnPlace& place);

/// Strict fp32: TF32 came with cuDNN 8, and with it the math type that forbids it, in both
/// interfaces.
MathType exact_math(const RnnPlace& place);

}  // namespace rnncheck
