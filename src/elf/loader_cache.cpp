#include "elf/loader_cache.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace rnncheck::elf {

namespace {

// sysdeps/generic/dl-cache.h of glibc.
constexpr std::string_view magic_new = "glibc-ld.so.cache1.1";
constexpr std::string_view magic_old = "ld.so-1.7.0";
constexpr std::size_t header_bytes = 48, entry_bytes = 24, old_header_bytes = 16, old_entry_bytes = 12;
constexpr std::uint32_t most_entries = 200'000;
constexpr std::size_t longest_string = 4096;
#if defined(__aarch64__)
constexpr std::uint32_t our_flags = 0x0a03;  // FLAG_AARCH64_LIB64 | FLAG_ELF_LIBC6
#elif defined(__powerpc64__)
constexpr std::uint32_t our_flags = 0x0503;
#else
constexpr std::uint32_t our_flags = 0x0303;  // FLAG_X8664_LIB64 | FLAG_ELF_LIBC6
#endif

template <class T>
T number_at(std::string_view bytes, std::size_t offset) {
    T value = 0;
    if (offset <= bytes.size() && sizeof(T) <= bytes.size() - offset) std::memcpy(&value, bytes.data() + offset, sizeof(T));
    return value;
}

std::string string_at(std::string_view bytes, std::uint32_t offset) {
    if (offset >= bytes.size()) return {};
    const std::string_view rest = bytes.substr(offset, longest_string);
    return std::string(rest.substr(0, rest.find('\0')));
}

/// The new form stands alone, or behind the old one, aligned to 8 bytes.
std::string_view new_form(std::string_view bytes) {
    if (bytes.starts_with(magic_new)) return bytes;
    if (!bytes.starts_with(magic_old)) return {};
    const std::uint64_t entries = number_at<std::uint32_t>(bytes, magic_old.size() + 1);
    const std::uint64_t end = (old_header_bytes + entries * old_entry_bytes + 7) / 8 * 8;
    return end < bytes.size() && bytes.substr(end).starts_with(magic_new) ? bytes.substr(end) : std::string_view();
}

}  // namespace

std::vector<CacheEntry> parse_loader_cache(std::string_view bytes) {
    std::vector<CacheEntry> entries;
    const std::string_view cache = new_form(bytes);
    if (cache.size() < header_bytes) return entries;
    const std::uint32_t count = std::min(number_at<std::uint32_t>(cache, magic_new.size()), most_entries);
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::size_t at = header_bytes + i * entry_bytes;
        if (at + entry_bytes > cache.size()) break;
        if (number_at<std::uint32_t>(cache, at) != our_flags) continue;
        CacheEntry entry{string_at(cache, number_at<std::uint32_t>(cache, at + 4)), string_at(cache, number_at<std::uint32_t>(cache, at + 8)),
                         number_at<std::uint64_t>(cache, at + 16) != 0};
        if (!entry.soname.empty() && entry.path.starts_with('/')) entries.push_back(std::move(entry));
    }
    return entries;
}

}  // namespace rnncheck::elf
