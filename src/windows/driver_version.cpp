#include "windows/driver_version.hpp"

#include "base/text.hpp"
#include "windows/registry.hpp"

namespace rnncheck::windows {

/// Its last five digits are NVIDIA's. So Chromium reads it
/// (https://crrev.com/1241aea53e75dab24b82f20e705fd290c5d445ea).
std::optional<Version> driver_version(const std::optional<Version>& of_windows) {
    std::vector<std::string> parts;
    if (of_windows)
        parts = split(of_windows->text, '.');
    constexpr std::size_t width = 4;
    if (parts.size() != width || parts[2].empty() || parts[3].size() > width)
        return std::nullopt;
    const std::string digits =
        parts[2].back() + std::string(width - parts[3].size(), '0') + parts[3];
    return parse_version(digits.substr(0, 3) + '.' + digits.substr(3));
}

/// Display adapters are numbered keys below that of their class:
/// https://learn.microsoft.com/en-us/windows-hardware/drivers/install/system-defined-device-setup-classes-available-to-vendors
std::optional<Version> registered_driver_version() {
    const std::string adapters =
        "SYSTEM\\CurrentControlSet\\Control\\Class\\{4d36e968-e325-11ce-bfc1-08002be10318}";
    for (const std::string& adapter : registry_keys(HKEY_LOCAL_MACHINE, adapters)) {
        const auto value = [&](const char* name) {
            return registry_text(HKEY_LOCAL_MACHINE, adapters + '\\' + adapter, name);
        };
        if (value("ProviderName") != "NVIDIA")
            continue;
        if (const auto version = driver_version(parse_version(value("DriverVersion").value_or(""))))
            return version;
    }
    return std::nullopt;
}

}  // namespace rnncheck::windows
