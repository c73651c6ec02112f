// Pipes and devices that stand where the loader looks for a library.
#pragma once

#include "facts/facts.hpp"

namespace rnncheck::probes {

/// From now on this process does not open what may lead the loader to such a thing, for it would wait there: the
/// opening fails with a text that begins with `not_opened` and names the pipe.
void refuse_what_would_wait(const Facts& facts);

}  // namespace rnncheck::probes
