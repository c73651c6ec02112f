// One spelling for what the driver library and NVML write differently.
#pragma once

#include <string>
#include <string_view>

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

}  // namespace rnncheck::probes
