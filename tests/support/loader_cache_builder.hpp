// A hand-made /etc/ld.so.cache (format: glibc, sysdeps/generic/dl-cache.h).
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace rnncheck::test {

#if defined(__aarch64__)
inline constexpr std::uint32_t own_cache_flags = 0x0a03;
#else
inline constexpr std::uint32_t own_cache_flags = 0x0303;
#endif

struct CacheLine {
    std::string name;
    std::string path;
    std::uint64_t hwcap = 0;  ///< 1 << 62 | number for the subset of that number
    std::uint32_t flags = own_cache_flags;
};

inline void append_number(std::string& bytes, std::uint64_t value, int width) {
    for (int i = 0; i < width; ++i)
        bytes += static_cast<char>(value >> (8 * i));
}

inline std::string cache_bytes(
    const std::vector<CacheLine>& lines, const std::vector<std::string>& subsets = {}) {
    const std::size_t texts_at = 48 + 24 * lines.size();
    std::string texts, entries, subset_offsets;
    const auto place = [&](const std::string& text) {
        const std::size_t at = texts_at + texts.size();
        texts += text + '\0';
        return at;
    };
    for (const auto& line : lines) {
        append_number(entries, line.flags, 4);
        append_number(entries, place(line.name), 4);
        append_number(entries, place(line.path), 4);
        append_number(entries, 0, 4);
        append_number(entries, line.hwcap, 8);
    }
    for (const auto& subset : subsets)
        append_number(subset_offsets, place(subset), 4);
    const std::size_t extension_at = texts_at + texts.size();
    std::string bytes = "glibc-ld.so.cache1.1";
    append_number(bytes, lines.size(), 4);
    append_number(bytes, texts.size(), 4);
    append_number(bytes, 2, 4);
    append_number(bytes, subsets.empty() ? 0 : extension_at, 4);
    bytes += std::string(12, '\0');
    bytes += entries + texts;
    if (subsets.empty())
        return bytes;
    append_number(bytes, 0xEAA42174, 4);
    append_number(bytes, 1, 4);
    append_number(bytes, 1, 4);
    append_number(bytes, 0, 4);
    append_number(bytes, extension_at + 24, 4);
    append_number(bytes, subset_offsets.size(), 4);
    return bytes + subset_offsets;
}

}  // namespace rnncheck::test
