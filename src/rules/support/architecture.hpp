// A GPU's compute capability against the code that CUDA and cuDNN hold. Pure.
#pragma once

#include "rules/support/cases.hpp"

namespace rnncheck::rules {

/// One finding for each GPU that something has no machine code for, being newer than that, or else older; `describe`
/// fills in message and remedies.
Verdict judge_architecture(const Facts& facts, const Matrix& matrix, bool gpu_is_newer,
                           void (*describe)(Finding&, const Gpu&, const std::string& things));

}  // namespace rnncheck::rules
