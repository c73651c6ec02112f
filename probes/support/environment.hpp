// The environment of this process, as the libraries that probes open see it too.
#pragma once

#include "base/fields.hpp"

namespace rnncheck::probes {

/// The variables that matter to CUDA, cuDNN, the frameworks' use of them and the loader; values of at most 4096 bytes.
TextMap variables_that_matter();

}  // namespace rnncheck::probes
