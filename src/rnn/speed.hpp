// How long a case should take on a GPU by a simple model, which docs/speed.md states.
#pragma once

#include <optional>

#include "base/version.hpp"
#include "rnn/case.hpp"

namespace rnncheck {

/// What the driver reports of a GPU; 0 is not known.
struct Clocks {
    Version capability;
    int multiprocessors = 0, mhz = 0, memory_mhz = 0, memory_bus_bits = 0;
};

/// What a GPU could do at its highest clocks.
struct Peak {
    double fp32_per_second = 0;  ///< operations, a multiplication and an addition counting two
    double fp64_per_second = 0;
    double bytes_per_second = 0;  ///< of its memory
};

/// Nothing where the driver did not report clocks, bus or multiprocessors, or the compute
/// capability is not in the table.
std::optional<Peak> peak_of(const Clocks& clocks);

/// Milliseconds for one run of the case, forward and for training backward, launches included.
double model_ms(const RnnCase& rnn_case, const Peak& peak);

/// By the model more than half of the time goes into arithmetic and memory, not into kernel
/// launches.
bool shows_clocks(const RnnCase& rnn_case, const Peak& peak);

}  // namespace rnncheck
