// From a case that fails to the smallest one that fails in the same way. Pure search; who tries a case is not known
// here.
#pragma once

#include <functional>
#include <optional>

#include "rnn/network.hpp"

namespace rnncheck {

/// Whether a case fails as the first one did; nothing when there is no more time to try.
using StillFails = std::function<std::optional<bool>(const RnnCase&)>;

struct Shrunk {
    RnnCase smallest;
    int trials = 0;
    bool finished = true;  ///< false: time or trials ended before it was known that nothing smaller fails
};

/// Halves and steps down layers, batch, length and sizes, takes sequences out, and puts everything else to its plain
/// value, as long as the case still fails, again and again until nothing of that does. No case is tried twice.
Shrunk shrink(const RnnCase& failing, const StillFails& still_fails, int most_trials = 200);

}  // namespace rnncheck
