// The targets that a build holds code for, as the tables and nvcc write them: "sm_70 sm_90a compute_120".
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/version.hpp"

namespace rnncheck {

struct Target {
    Version capability;        ///< 7.0, 12.0
    bool machine_code = true;  ///< sm_..; compute_.. is PTX
    /// sm_90a runs on 9.0 alone; sm_100f on its major's GPUs from 10.0 on (NVCC documentation, GPU feature list).
    char kind = 0;  ///< 0, 'a', 'f'
};

/// Nothing when the word is no target.
std::optional<Target> parse_target(std::string_view word);

/// Those words of the text that are targets.
std::vector<Target> targets_of(std::string_view text);

/// Machine code runs on its own capability and on later minors of its major
/// (https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#binary-compatibility).
bool runs_on(const Target& machine_code, const Version& capability);

}  // namespace rnncheck
