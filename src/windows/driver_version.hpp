// NVIDIA's version of the display driver, which is there without NVML, too.
#pragma once

#include "base/version.hpp"

namespace rnncheck::windows {

/// By Windows' version of a driver or its file: 560.94 by 32.0.15.6094; nothing
/// if it is none of four numbers.
std::optional<Version> driver_version(const std::optional<Version>& of_windows);

/// That of the display adapters in the registry.
std::optional<Version> registered_driver_version();

}  // namespace rnncheck::windows
