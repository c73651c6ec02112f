// A GPU's compute capability against the code that CUDA and cuDNN hold. Pure.
#pragma once

#include "rules/support/cases.hpp"
#include "rules/support/words.hpp"

namespace rnncheck::rules {

/// Whether every case went well on this GPU with this copy or another one of the same release and CUDA.
bool cases_went_well(const Facts& facts, int gpu, const CudnnCopy& copy);

/// One finding for each GPU that something has no machine code for, being newer than that, or else older; `describe`
/// fills in message and remedies.
Verdict judge_architecture(const Facts& facts, const Matrix& matrix, bool gpu_is_newer,
                           void (*describe)(Finding&, const Gpu&, const std::string& things));

}  // namespace rnncheck::rules
