// Whether a GPU fails below cuDNN already: the tiny kernel of ptx_launch needs the driver alone. Pure.
#pragma once

#include <optional>
#include <string>

#include "facts/facts.hpp"

namespace rnncheck::rules {

/// Why the tiny kernel does not run on this GPU or gives wrong numbers, in words; nothing when it is right, and when
/// that is unknown. Other rules tell the cause, and no recurrent network can work there.
std::optional<std::string> kernel_fails(const Facts& facts, int gpu);

}  // namespace rnncheck::rules
