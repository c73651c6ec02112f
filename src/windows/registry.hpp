// Values of the registry, in its view for 64-bit programs. Values are data of
// others: of bounded size, any content.
#pragma once

#include <windows.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rnncheck::windows {

/// Of REG_SZ and REG_EXPAND_SZ, as written; nothing where it is absent, of
/// another type or longer than 32 KiB.
std::optional<std::string> registry_text(
    HKEY root, const std::string& key, const std::string& value);

/// Of REG_DWORD.
std::optional<std::uint32_t> registry_number(
    HKEY root, const std::string& key, const std::string& value);

/// All texts among the values of a key, at most 1000, each as registry_text() has it.
std::vector<std::string> registry_texts(HKEY root, const std::string& key);

/// The keys below a key, at most 1000.
std::vector<std::string> registry_keys(HKEY root, const std::string& key);

}  // namespace rnncheck::windows
