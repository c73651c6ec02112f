// The commands that run something again, as a person can paste them.
#pragma once

#include <string>

#include "facts/facts.hpp"

namespace rnncheck {

/// The case alone on the GPU, copy of cuDNN and interface of its run; the last two only where there are several.
std::string again(const Facts& facts, const RnnRun& run);

/// All cases that the process of the run had, in their order.
std::string whole_run_again(const Facts& facts, const RnnRun& run);

/// ", cuDNN 8.9.7 (/usr/lib/libcudnn.so.8), legacy interface": what of it there are several; else empty.
std::string copy_and_interface(const Facts& facts, const RnnRun& run);

}  // namespace rnncheck
