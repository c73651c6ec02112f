#include "support/names.hpp"

#include <algorithm>
#include <cctype>

namespace rnncheck::probes {

std::string pci_address(std::string_view text) {
    std::string address(text);
    std::transform(address.begin(), address.end(), address.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const auto domain = address.find(':');
    if (domain == 8 && address.starts_with("0000")) address.erase(0, 4);
    return address;
}

std::string compute_mode_name(int mode) {
    switch (mode) {
        case 0:
            return "default";
        case 1:
            return "exclusive_thread";
        case 2:
            return "prohibited";
        case 3:
            return "exclusive_process";
        default:
            return "mode " + std::to_string(mode);
    }
}

}  // namespace rnncheck::probes
