// Single values as people write them. Nothing: not understood.
#pragma once

#include <span>

#include "facts/facts.hpp"
#include "matrix/rows.hpp"

namespace rnncheck {

/// "12.4", "v12.4", "CUDA 12.4".
std::optional<Version> version_as_written(const std::string& text);
/// "535.104.05", "535", "R535".
std::optional<Version> driver_as_written(const std::string& text);
/// "8.9.7", "8.9.7.29", and cudnnGetVersion's number: "8907", "91002".
std::optional<Version> cudnn_as_written(const std::string& text);
/// "8.6", "sm_86", "compute_120", "cc 8.6".
std::optional<Version> capability_as_written(const std::string& text);
/// linux, windows or macos, from "Windows 10", "Ubuntu 22.04", "WSL2" (which is linux).
std::optional<std::string> platform_as_written(const std::string& text);
/// fp32, fp16, bf16 or fp64, from "bfloat16", "half", "float32".
std::optional<std::string> dtype_as_written(const std::string& text);
/// "pytorch 1.4", "torch 2.4.0+cu124", "tensorflow-gpu 1.15", "keras": name, and release and build when they are there.
std::optional<Framework> framework_as_written(const std::string& text);
/// The words that frameworks are called by, as keys: "tensorflow", "torch", "pytorch", ...
std::span<const std::string_view> framework_words();

/// "RTX 6000 is 7.5 as Quadro RTX 6000, 8.9 as RTX 6000 Ada Generation".
std::string what_it_may_mean(const std::vector<GpuProduct>& products);

}  // namespace rnncheck
