// Versions and names as people write them. Each gives nothing where the text is none of its kind.
#pragma once

#include <optional>

#include "facts/network.hpp"
#include "facts/packages.hpp"

namespace rnncheck {

/// Lower case, blanks at the ends off.
std::string plain(std::string_view text);

/// "535.104.05", "535", "R535".
std::optional<Version> driver_from(std::string_view text);
/// "12.4", "12.4.1", "cu124", CUDA's own coding 12040.
std::optional<Version> cuda_from(std::string_view text);

struct CudnnGiven {
    Version version;                        ///< at most three numbers; "9" stands for every release of cuDNN 9
    std::optional<Version> built_for_cuda;  ///< of a package's flavour, major or major.minor
};
/// "8.9.7", the package's "8.9.7.29", cuDNN's own coding 8907, "9", "9.10.2+cu12".
std::optional<CudnnGiven> cudnn_from(std::string_view text);

/// "8.6", "sm_86", "compute_86".
std::optional<Version> capability_from(std::string_view text);
/// "3.11", "3.11.4", "cp311".
std::optional<Version> python_from(std::string_view text);

/// "2.4.0", "2.4.0+cu124", "2.15 cpu". Name and environment stay empty.
std::optional<Framework> release_from(std::string_view text);
/// "pytorch 1.4", "tensorflow-gpu==1.15".
std::optional<Framework> framework_from(std::string_view text);
/// A framework of that name ("torch", "tensorflow-cpu") without a version.
std::optional<Framework> framework_named(std::string_view name);

struct SystemGiven {
    std::string platform;  ///< linux, windows, macos
    bool wsl = false;
};
/// "linux", "Ubuntu 22.04", "Windows 10", "wsl2".
std::optional<SystemGiven> system_from(std::string_view text);

/// "bf16", "bfloat16", "half".
std::optional<Dtype> dtype_from(std::string_view text);
/// "yes", "no", "true", "0".
std::optional<bool> yes_no_from(std::string_view text);

}  // namespace rnncheck
