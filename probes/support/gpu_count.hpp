// How many GPUs a library says there are, when that can be believed, and what follows for the time of a start.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "process/wire.hpp"

namespace rnncheck::probes {

/// Beyond this a count is no answer, and to ask so many GPUs would take for ever; the largest machines have some
/// hundred MIG instances.
inline constexpr std::int64_t most_gpus = 1024;

/// The count; nothing, and a failed call told, where no machine can have so many.
inline std::optional<int> believable_count(ProbeWriter& writer, const char* call, std::int64_t count) {
    if (count >= 0 && count <= most_gpus) return static_cast<int>(count);
    writer.failed({call, -1, "it reported " + std::to_string(count) + " GPUs, which no machine has"});
    return std::nullopt;
}

/// How long the driver may take to start in one process, where it took so long in another to show that many GPUs.
/// Without persistence mode a start costs 1 to 3 seconds for each GPU
/// (https://docs.nvidia.com/deploy/driver-persistence/overview.html).
inline std::optional<std::chrono::milliseconds> limit_of_other_start(std::size_t gpus, std::chrono::milliseconds took) {
    if (gpus == 0) return std::nullopt;
    return std::chrono::seconds(8) + static_cast<int>(gpus) * std::chrono::seconds(4) + 10 * took;
}

}  // namespace rnncheck::probes
