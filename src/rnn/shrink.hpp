// Searches among cases: the smallest one that fails as a given one does, and the largest size that
// runs. Pure; who tries a case is not known here.
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
    bool finished =
        true;  ///< false: time or trials ended before it was known that nothing smaller fails
};

/// Halves and steps down layers, batch, length and sizes, takes sequences out, and puts everything
/// else to its plain value, as long as the case still fails, again and again until nothing of that
/// does. No case is tried twice.
Shrunk shrink(const RnnCase& failing, const StillFails& still_fails, int most_trials = 200);

/// Whether a size runs; nothing when there is no more time to try.
using Runs = std::function<std::optional<bool>(int size)>;

struct LargestSize {
    std::optional<int> largest;  ///< that ran
    std::optional<int> failed;   ///< the smallest above it that did not
    int trials = 0;
    bool out_of_time = false;
};

/// Up from `start` until one does not run, unless it is `bounded` by other things, or down until
/// one does, and then between, to half a percent.
LargestSize largest_size(int start, bool bounded, const Runs& runs);

}  // namespace rnncheck
