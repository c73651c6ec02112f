// What the tables write inside a cell: ranges of versions, and the targets of a build. A range's
// end is as exact as it is written: 2.4 covers every 2.4.x.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/version.hpp"

namespace rnncheck {

/// How many numbers the version was written with: 2 for "12.4".
std::size_t parts_written(const Version& version);

/// Where both are written out, they agree: 12.4 and 12.4.1 do, 12.4 and 12.5 do not, 12 agrees with
/// both.
bool agree(const Version& a, const Version& b);

/// Whether `version` is not beyond `last`, read with `last`'s exactness.
bool within(const Version& version, const Version& last);

/// `first` to `last`; without `last` that one version, as exactly as it is written.
bool covers(const Version& first, const std::optional<Version>& last, const Version& version);

/// `first` to `last`; an end that is unset is open.
bool is_between(
    const Version& version,
    const std::optional<Version>& first,
    const std::optional<Version>& last);

/// Whether a driver given as version or as branch is at least this version; of a branch, its newest
/// version counts.
bool reaches(const Version& driver, const Version& version);

/// Whether a driver that is known in part may be that version or a later one: 525.60 may be
/// 525.60.13.
bool may_reach(const Version& driver, const Version& version);

/// The CUDA that packages write without a dot: "118" is 11.8, "92" is 9.2, "12" is 12; nothing for
/// other lengths.
std::optional<Version> cuda_of_digits(std::string_view digits);

/// The compute capability that tables and compilers write without a dot: "86" is 8.6, "120"
/// is 12.0; nothing for other lengths.
std::optional<Version> capability_of_digits(std::string_view digits);

/// What a build holds code for, as the tables and nvcc write it: "sm_70 sm_90a compute_120".
struct Target {
    Version capability;        ///< 7.0, 12.0
    bool machine_code = true;  ///< sm_..; compute_.. is PTX
    /// sm_90a runs on 9.0 alone; sm_100f on its major's GPUs from 10.0 on (NVCC documentation, GPU
    /// feature list).
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
