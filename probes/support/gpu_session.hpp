// One GPU made ready for work: driver library opened, primary context current.
#pragma once

#include <memory>
#include <optional>

#include "vendor/cuda_abi.hpp"

namespace rnncheck::probes {

struct GpuSession {
    vendor::CudaApi cuda;
    vendor::Checker check;
    std::optional<CallResult> failure;  ///< the first call that failed, opening included; nothing may be called then
};

/// By CUDA's ordinal. On the heap, because the checker points to the functions beside it.
std::unique_ptr<GpuSession> open_gpu(ProbeWriter& writer, int index);

/// Target texts of the probes that run on GPUs begin with "GPU <index>": the index, and the part that must not be run
/// twice at the same time.
int gpu_of_target(const std::string& target);
std::string exclusive_gpu(const std::string& target);

}  // namespace rnncheck::probes
