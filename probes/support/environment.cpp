#include "support/environment.hpp"

#include <unistd.h>

#include <algorithm>

#include "base/text.hpp"

namespace rnncheck::probes {

/// With a space on both sides of each, so that a name is found as a whole.
constexpr std::string_view variables =
    " CUDA_VISIBLE_DEVICES CUDA_DEVICE_ORDER CUDA_HOME CUDA_PATH CUDA_ROOT CUDA_LAUNCH_BLOCKING "
    "SLURM_JOB_ID "
    "SLURM_JOB_GPUS PBS_JOBID LSB_JOBID CUDA_MODULE_LOADING CUBLAS_WORKSPACE_CONFIG "
    "NVIDIA_VISIBLE_DEVICES "
    "NVIDIA_DRIVER_CAPABILITIES NVIDIA_TF32_OVERRIDE TORCH_ALLOW_TF32_CUBLAS_OVERRIDE "
    "LD_LIBRARY_PATH LD_PRELOAD "
    "LD_AUDIT LD_BIND_NOW TF_FORCE_GPU_ALLOW_GROWTH XLA_FLAGS PYTORCH_CUDA_ALLOC_CONF VIRTUAL_ENV "
    "CONDA_PREFIX ";
/// Families of variables, of which new versions add more.
constexpr std::string_view beginnings[] = {
    "CUDNN_", "CUDA_CACHE_", "CUDA_MPS_", "TF_CUDNN_", "XLA_PYTHON_CLIENT_"};
constexpr std::size_t longest_value = 4096;

static bool matters(std::string_view name) {
    return contains(variables, " " + std::string(name) + " ") ||
           std::ranges::any_of(
               beginnings, [&](std::string_view start) { return name.starts_with(start); });
}

TextMap variables_that_matter() {
    TextMap found;
    for (char** entry = environ; entry && *entry; ++entry) {
        const std::string_view text = *entry;
        const auto equals = text.find('=');
        if (equals == std::string_view::npos || !matters(text.substr(0, equals)))
            continue;
        found.emplace(text.substr(0, equals), text.substr(equals + 1, longest_value));
    }
    return found;
}

}  // namespace rnncheck::probes
