// A library that opens another by name has that name among its constants, which
// linkers put into read-only sections.
#include <link.h>
#include <re2/re2.h>

#include <algorithm>
#include <cstring>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "files/elf/elf_file.hpp"

namespace rnncheck::elf {

namespace {

constexpr std::uint64_t most_without_sections = 16 << 20;
constexpr std::size_t most_names = 1024;
constexpr std::size_t most_sections = 4096;

bool is_name(std::string_view text) {
    static const re2::RE2 form(R"(lib[-+.\w]+\.so[.0-9]*)", re2::RE2::Latin1);
    return re2::RE2::FullMatch(text, form) && is_shared_library(text);
}

/// Sections that are in memory, hold bytes and are neither written nor run.
std::vector<Extent> read_only_data(const FilePieces& pieces) {
    ElfW(Ehdr) header;
    const std::string start = pieces.at(0, sizeof header);
    if (start.size() < sizeof header)
        return {};
    std::memcpy(&header, start.data(), sizeof header);
    if (header.e_shoff == 0 || header.e_shentsize != sizeof(ElfW(Shdr)))
        return {};
    const std::size_t count = std::min<std::size_t>(header.e_shnum, most_sections);
    std::vector<Extent> extents;
    for (const auto& section :
         as_array<ElfW(Shdr)>(pieces.at(header.e_shoff, count * sizeof(ElfW(Shdr)))))
        if (const auto kind = section.sh_flags & (SHF_ALLOC | SHF_WRITE | SHF_EXECINSTR);
            section.sh_type == SHT_PROGBITS && kind == SHF_ALLOC)
            extents.push_back({section.sh_offset, section.sh_size});
    return extents;
}

}  // namespace

bool is_shared_library(std::string_view path) {
    const std::string_view name = path.substr(path.rfind('/') + 1);
    const auto at = name.find(".so");
    if (at == std::string_view::npos)
        return false;
    const std::string_view rest = name.substr(at + 3);
    return rest.empty() ||
           (rest.front() == '.' && rest.find_first_not_of("0123456789.") == std::string_view::npos);
}

std::vector<std::string> embedded_library_names(const Root& root, std::string_view path) {
    std::vector<std::string> names;
    const auto real = root.real_path(path);
    if (!real)
        return names;
    const FilePieces pieces(root.outside(*real));
    if (pieces.error() != 0)
        return names;
    std::vector<Extent> extents = read_only_data(pieces);
    if (extents.empty())
        extents = {{0, most_without_sections}};
    const auto add = [&](std::string_view text) {
        if (names.size() < most_names && is_name(text))
            add_once(names, std::string(text));
    };
    search_texts(pieces, std::move(extents), {std::string_view("\0lib", 4), add});
    return names;
}

}  // namespace rnncheck::elf
