// The three stages of a survey.
#pragma once

#include "base/fields.hpp"

namespace rnncheck {

/// look: read files, no vendor code. ask: open vendor libraries and ask them. run: use the GPU.
enum class Stage { look, ask, run };
RNNCHECK_ENUM_NAMES(Stage, "look", "ask", "run")

}  // namespace rnncheck
