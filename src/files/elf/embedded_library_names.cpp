#include <link.h>
#include <re2/re2.h>

#include <algorithm>
#include <cstring>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "files/elf/elf_file.hpp"

namespace rnncheck::elf {

namespace {

constexpr std::uint64_t most_bytes = 64 << 20;
constexpr std::uint64_t most_without_sections = 16 << 20;
constexpr std::size_t window = 1 << 20;
constexpr std::size_t longest_name = 128;
constexpr std::size_t most_names = 1024;
constexpr std::size_t most_sections = 4096;

struct Extent {
    std::uint64_t offset = 0, size = 0;
};

bool is_name(std::string_view text) {
    static const re2::RE2 form(R"(lib[-+.\w]+\.so[.0-9]*)", re2::RE2::Latin1);
    return text.size() <= longest_name && re2::RE2::FullMatch(text, form) && is_shared_library(text);
}

/// Sections that are in memory, hold bytes and are neither written nor run.
std::vector<Extent> read_only_data(const FilePieces& pieces) {
    ElfW(Ehdr) header;
    const std::string start = pieces.at(0, sizeof header);
    if (start.size() < sizeof header) return {};
    std::memcpy(&header, start.data(), sizeof header);
    if (header.e_shoff == 0 || header.e_shentsize != sizeof(ElfW(Shdr))) return {};
    const std::size_t count = std::min<std::size_t>(header.e_shnum, most_sections);
    std::vector<Extent> extents;
    for (const auto& section : as_array<ElfW(Shdr)>(pieces.at(header.e_shoff, count * sizeof(ElfW(Shdr)))))
        if (const auto kind = section.sh_flags & (SHF_ALLOC | SHF_WRITE | SHF_EXECINSTR);
            section.sh_type == SHT_PROGBITS && kind == SHF_ALLOC)
            extents.push_back({section.sh_offset, section.sh_size});
    std::ranges::stable_sort(extents, {}, &Extent::size);
    return extents;
}

/// A name counts when there is a NUL at both ends.
void add_library_names(std::string_view bytes, std::vector<std::string>& names) {
    constexpr std::string_view start("\0lib", 4);
    const auto next = [&](std::size_t from) {  // much faster than find() in data full of NULs
        const void* found = memmem(bytes.data() + from, bytes.size() - from, start.data(), start.size());
        return found ? static_cast<std::size_t>(static_cast<const char*>(found) - bytes.data())
                     : std::string_view::npos;
    };
    for (auto at = next(0); at != std::string_view::npos; at = next(at + 1)) {
        const auto end = bytes.substr(0, at + longest_name + 2).find('\0', at + 1);
        if (end == std::string_view::npos) continue;
        const std::string_view text = bytes.substr(at + 1, end - at - 1);
        if (is_name(text) && names.size() < most_names) add_once(names, std::string(text));
    }
}

/// In windows that overlap by more than a name; those at a window's edge are found in the next.
void search(const FilePieces& pieces, const Extent& extent, std::vector<std::string>& names) {
    std::uint64_t at = 0;
    while (at < extent.size && at <= pieces.size() && names.size() < most_names) {
        const auto length = std::min<std::uint64_t>(window, extent.size - at);
        const std::string bytes = pieces.at(extent.offset + at, static_cast<std::size_t>(length));
        if (bytes.empty()) return;
        add_library_names(at == 0 ? std::string(1, '\0') + bytes : bytes, names);
        if (bytes.size() < window) return;
        at += window - 2 * longest_name;
    }
}

}  // namespace

bool is_shared_library(std::string_view path) {
    const std::string_view name = path.substr(path.rfind('/') + 1);
    const auto at = name.find(".so");
    if (at == std::string_view::npos) return false;
    const std::string_view rest = name.substr(at + 3);
    return rest.empty() || (rest.front() == '.' && rest.find_first_not_of("0123456789.") == std::string_view::npos);
}

std::vector<std::string> embedded_library_names(const Root& root, std::string_view path) {
    std::vector<std::string> names;
    const auto real = root.real_path(path);
    if (!real) return names;
    const FilePieces pieces(root.outside(*real));
    if (pieces.error() != 0) return names;
    std::vector<Extent> extents = read_only_data(pieces);
    if (extents.empty()) extents = {{0, most_without_sections}};
    std::uint64_t left = most_bytes;
    for (Extent extent : extents) {
        extent.size = std::min(extent.size, left);
        left -= extent.size;
        search(pieces, extent, names);
    }
    return names;
}

}  // namespace rnncheck::elf
