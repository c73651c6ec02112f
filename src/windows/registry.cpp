// Always the view for 64-bit programs, as installers of CUDA and
// Python for x86-64 write there.
#include "windows/registry.hpp"

#include "windows/system.hpp"

namespace rnncheck::windows {

/// RRF_NOEXPAND leaves %VARIABLES% as they are: whose environment they
/// are of is the caller's matter.
std::optional<std::string> registry_text(
    HKEY root, const std::string& key, const std::string& value) {
    constexpr DWORD longest = 1 << 15;
    std::wstring text(longest / sizeof(wchar_t), L'\0');
    DWORD bytes = longest;
    const DWORD kinds = RRF_RT_REG_SZ | RRF_RT_REG_EXPAND_SZ | RRF_NOEXPAND | RRF_SUBKEY_WOW6464KEY;
    if (RegGetValueW(
            root, utf16(key).c_str(), utf16(value).c_str(), kinds, nullptr, text.data(), &bytes) !=
        0)
        return std::nullopt;
    return utf8(text.c_str());
}

std::optional<std::uint32_t> registry_number(
    HKEY root, const std::string& key, const std::string& value) {
    DWORD number = 0, bytes = sizeof number;
    const DWORD kinds = RRF_RT_REG_DWORD | RRF_SUBKEY_WOW6464KEY;
    if (RegGetValueW(
            root, utf16(key).c_str(), utf16(value).c_str(), kinds, nullptr, &number, &bytes) != 0)
        return std::nullopt;
    return number;
}

namespace {

constexpr DWORD most_names = 1000;

/// What `next` writes into the buffer, of this many characters, for the numbers 0, 1, ...
template <class Next>
std::vector<std::string> names_of(HKEY root, const std::string& key, DWORD longest, Next&& next) {
    std::vector<std::string> names;
    HKEY opened = nullptr;
    if (RegOpenKeyExW(root, utf16(key).c_str(), 0, KEY_READ | KEY_WOW64_64KEY, &opened) != 0)
        return names;
    std::wstring name(longest, L'\0');
    for (DWORD index = 0; index < most_names; ++index) {
        DWORD size = longest;
        if (next(opened, index, name.data(), &size) != 0)
            break;
        names.push_back(utf8({name.data(), size}));
    }
    RegCloseKey(opened);
    return names;
}

}  // namespace

std::vector<std::string> registry_texts(HKEY root, const std::string& key) {
    // of a value
    constexpr DWORD longest_name = 1 << 14;
    std::vector<std::string> texts;
    const auto names =
        names_of(root, key, longest_name, [](HKEY opened, DWORD index, wchar_t* name, DWORD* size) {
            return RegEnumValueW(opened, index, name, size, nullptr, nullptr, nullptr, nullptr);
        });
    for (const std::string& name : names)
        if (auto text = registry_text(root, key, name))
            texts.push_back(std::move(*text));
    return texts;
}

std::vector<std::string> registry_keys(HKEY root, const std::string& key) {
    // of a key
    constexpr DWORD longest_name = 256;
    return names_of(
        root, key, longest_name, [](HKEY opened, DWORD index, wchar_t* name, DWORD* size) {
            return RegEnumKeyExW(opened, index, name, size, nullptr, nullptr, nullptr, nullptr);
        });
}

}  // namespace rnncheck::windows
