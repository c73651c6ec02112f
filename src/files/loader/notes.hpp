// What holds for a target as a whole.
#pragma once

#include "files/loader/which.hpp"

namespace rnncheck::which {

/// A note for each copy of cuDNN whose parts do not lie beside it: they must be of one release, and a look at the
/// single answers does not show that.
void add_notes_on_parts(const Root& root, Which& which);

}  // namespace rnncheck::which
