// Whether to use colour.
#pragma once

#include "base/fields.hpp"

namespace rnncheck {

enum class ColorChoice { automatic, always, never };
RNNCHECK_ENUM_NAMES(ColorChoice, "auto", "always", "never")

/// A terminal that understands control codes: TERM is set and not "dumb".
bool is_capable_terminal(int descriptor);

/// `automatic` is yes on a capable terminal unless NO_COLOR is set to anything (no-color.org).
bool wants_color(ColorChoice choice, int descriptor);

}  // namespace rnncheck
