// The parent's end of the wire: what a probe's process has said so far. Lines that are not ours (a library may write
// on any descriptor) are passed over.
#pragma once

#include <chrono>

#include "facts/facts.hpp"

namespace rnncheck {

struct WireReader {
    std::string last_call;
    std::vector<CallResult> failed_calls;  ///< the first 64
    std::optional<int> step;
    int steps_begun = 0;
    std::optional<std::chrono::milliseconds> limit;  ///< how long the process may be silent from now on
    bool past_use = false;
    bool done = false;
    bool stays = false;  ///< the process lives until the survey ends it

    /// Takes in one line; facts are merged into `learnt`.
    void read(std::string_view line, Facts& learnt);
};

}  // namespace rnncheck
