// The driver given by its release against what would run on it. Pure.
#pragma once

#include "rules/support/versions.hpp"

namespace rnncheck::rules {

/// `depends_on_system`: the drivers of Linux and Windows differ, and the system was not given.
enum class CudaSupport { fully, limited, not_at_all, depends_on_system, unknown };

/// What a CUDA release comes to on the driver that was given.
struct OnDriver {
    CudaSupport runs = CudaSupport::unknown;
    std::string why;                 ///< why not known, or not without the system
    std::vector<Evidence> evidence;  ///< the rows that say so
    std::optional<Version> oldest;   ///< oldest driver that runs it
};

/// By the drivers that NVIDIA names for the release. Of a branch ("535") its newest release counts.
/// https://docs.nvidia.com/deploy/cuda-compatibility/minor-version-compatibility.html
OnDriver on_given_driver(const Facts& facts, const Matrix& matrix, const Version& cuda);

/// The package that brings a newer libcuda, as a remedy, where NVIDIA names it for this driver and nothing speaks
/// against the GPU being a data centre's.
std::optional<Remedy> forward_compatibility_remedy(const Facts& facts, const Matrix& matrix, const Version& cuda);

/// Whether the driver given can be judged at all: pass when it can.
Verdict judge_driver_release(const Facts& facts, const Matrix& matrix);

}  // namespace rnncheck::rules
