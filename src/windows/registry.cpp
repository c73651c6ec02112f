#include "windows/registry.hpp"

#include "windows/system.hpp"

namespace rnncheck::windows {

std::optional<std::string> registry_text(HKEY root, const std::string& key,
                                         const std::string& value) {
    constexpr DWORD longest = 1 << 15;
    std::wstring text(longest / sizeof(wchar_t), L'\0');
    DWORD bytes = longest;
    const DWORD kinds = RRF_RT_REG_SZ | RRF_RT_REG_EXPAND_SZ | RRF_NOEXPAND | RRF_SUBKEY_WOW6464KEY;
    if (RegGetValueW(root, utf16(key).c_str(), utf16(value).c_str(), kinds, nullptr, text.data(),
                     &bytes) != 0)
        return std::nullopt;
    return utf8(text.c_str());
}

std::optional<std::uint32_t> registry_number(HKEY root, const std::string& key,
                                             const std::string& value) {
    DWORD number = 0, bytes = sizeof number;
    const DWORD kinds = RRF_RT_REG_DWORD | RRF_SUBKEY_WOW6464KEY;
    if (RegGetValueW(root, utf16(key).c_str(), utf16(value).c_str(), kinds, nullptr, &number,
                     &bytes) != 0)
        return std::nullopt;
    return number;
}

std::vector<std::string> registry_keys(HKEY root, const std::string& key) {
    constexpr DWORD most = 1000, longest_name = 256;  // of Windows
    std::vector<std::string> names;
    HKEY opened = nullptr;
    if (RegOpenKeyExW(root, utf16(key).c_str(), 0, KEY_READ | KEY_WOW64_64KEY, &opened) != 0)
        return names;
    wchar_t name[longest_name];
    for (DWORD index = 0; index < most; ++index) {
        DWORD size = longest_name;
        if (RegEnumKeyExW(opened, index, name, &size, nullptr, nullptr, nullptr, nullptr) != 0)
            break;
        names.push_back(utf8({name, size}));
    }
    RegCloseKey(opened);
    return names;
}

}  // namespace rnncheck::windows
