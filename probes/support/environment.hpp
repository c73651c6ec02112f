// The environment of this process as far as it concerns GPU libraries.
#pragma once

#include "facts/common.hpp"

namespace rnncheck::probes {

/// The variables that matter to CUDA, cuDNN, the frameworks' use of them and the loader.
TextMap variables_that_matter();

}  // namespace rnncheck::probes
