// GPUs: their names and numbers in NVIDIA's libraries, and opening one for use.
#pragma once

#include <chrono>
#include <optional>

#include "vendor/cuda_abi.hpp"

namespace rnncheck::probes {

/// "00000000:3B:00.0" and "0000:3b:00.0" both become "0000:3b:00.0".
std::string pci_address(std::string_view text);

/// CUcomputemode and nvmlComputeMode_t share their numbers.
std::string compute_mode_name(int mode);

/// Bytes of a fixed-size text buffer up to its NUL.
template <std::size_t n>
std::string text_in(const char (&buffer)[n]) {
    const std::string_view all(buffer, n);
    return std::string(all.substr(0, all.find('\0')));
}

/// The number of GPUs. If no machine can have so many, nothing, and a failed
/// call is reported.
std::optional<int> believable_count(ProbeWriter& writer, const char* call, std::int64_t count);

/// Time limit for the start of the driver in one process, from the time it took
/// in another to list so many GPUs.
std::optional<std::chrono::milliseconds> limit_of_other_start(
    std::size_t gpus, std::chrono::milliseconds took);

/// Opens the driver library and makes the primary context of the GPU
/// with this CUDA ordinal current.
vendor::Opened<vendor::CudaApi> open_gpu(ProbeWriter& writer, int index);

/// Target texts of the probes that run on GPUs begin with "GPU <index>": the
/// part that must not be run twice at the same time.
std::string exclusive_gpu(const std::string& target);

}  // namespace rnncheck::probes
