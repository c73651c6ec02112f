#include "files/elf/cudnn_builds.hpp"

#include <link.h>

#include <algorithm>
#include <set>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "files/elf/elf_file.hpp"
#include "files/gpu_code.hpp"

namespace rnncheck::elf {

namespace {

// The numbers in the code of libcudnn.so.9
// -----------------------------------------------------------------------------

/// real ones have 105 to 137 kB
constexpr std::size_t largest_front = 4 << 20;
/// real ones have 1 to 26
constexpr std::size_t most_calls = 64;

std::optional<std::int32_t> number_at(std::string_view bytes, std::size_t place) {
    std::int32_t number = 0;
    if (bytes.size() < sizeof number || place > bytes.size() - sizeof number)
        return std::nullopt;
    std::memcpy(&number, bytes.data() + place, sizeof number);
    return number;
}

/// The 32-bit operand of the one instruction of this start among the bytes.
std::optional<std::int32_t> operand(std::string_view code, std::string_view instruction) {
    const auto at = code.find(instruction);
    if (at == std::string_view::npos)
        return std::nullopt;
    return number_at(code, at + instruction.size());
}

/// What `push` puts on the stack; nothing when several bytes could be that instruction.
std::optional<int> pushed(std::string_view code) {
    constexpr char push = 0x6A;
    constexpr int highest_patch = 9;
    std::set<int> numbers;
    for (auto at = code.find(push); at != std::string_view::npos && at + 1 < code.size();
         at = code.find(push, at + 1))
        if (const int number = code[at + 1]; number >= 0 && number <= highest_patch)
            numbers.insert(number);
    if (numbers.size() != 1)
        return std::nullopt;
    return *numbers.begin();
}

/// The numbers that are passed to snprintf(text, size, "%s.%d.%d.%d", name,
/// major, minor, patch), of which the format is put into its register at
/// `place`: the fifth and sixth argument in r8 and r9, the seventh on the stack
/// (System V ABI, AMD64 supplement, 3.2.3).
std::optional<Version> version_passed(std::string_view bytes, std::size_t place) {
    constexpr std::size_t before = 32, after = 64, instruction = 7;
    constexpr char call = static_cast<char>(0xE8);
    std::string code(bytes.substr(place - std::min(place, before), before + after));
    const std::size_t own = std::min(place, before);
    if (code.size() < own + instruction)
        return std::nullopt;
    // its operand is no instruction
    code.replace(own, instruction, instruction, '\0');
    code.resize(std::min(code.find(call, own), code.size()));
    const auto major = operand(code, "\x41\xB8"), minor = operand(code, "\x41\xB9");
    const auto patch = pushed(code);
    if (!major || !minor || !patch || *major != 9 || *minor < 0 || *minor > 99)
        return std::nullopt;
    return make_version({*major, *minor, *patch});
}

template <class T>
std::optional<T> read_as(const FilePieces& pieces, std::uint64_t offset) {
    return first_as<T>(pieces.at(offset, sizeof(T)));
}

/// Where the section of this name lies in the file; nothing for a file
/// without a table of sections.
std::optional<Extent> section_named(const FilePieces& pieces, std::string_view name) {
    const auto header = read_as<ElfW(Ehdr)>(pieces, 0);
    if (!header ||
        std::string_view(reinterpret_cast<const char*>(header->e_ident), SELFMAG) != ELFMAG ||
        header->e_ident[EI_CLASS] != own_class || header->e_ident[EI_DATA] != own_byte_order ||
        header->e_shentsize != sizeof(ElfW(Shdr)) || header->e_shstrndx >= header->e_shnum)
        return std::nullopt;
    const auto sections = as_array<ElfW(Shdr)>(
        pieces.at(header->e_shoff, std::size_t{header->e_shnum} * sizeof(ElfW(Shdr))));
    if (header->e_shstrndx >= sections.size())
        return std::nullopt;
    const std::uint64_t names = sections[header->e_shstrndx].sh_offset;
    for (const auto& section : sections)
        if (section.sh_type == SHT_PROGBITS && section.sh_size <= pieces.size() &&
            pieces.at(names + section.sh_name, name.size() + 1) == std::string(name) + '\0')
            return Extent{section.sh_offset, section.sh_size};
    return std::nullopt;
}

}  // namespace

/// Several calls assemble names; all of them must pass the same numbers,
/// else the version is unknown.
std::optional<Version> version_of_parts_opened(const Root& root, std::string_view path) {
    const std::string bytes = root.read(path, largest_front).value_or("");
    // with its NUL
    constexpr std::string_view format("%s.%d.%d.%d", 12);
    // lea format(%rip),%rdx: the third argument
    constexpr std::string_view load_format = "\x48\x8D\x15";
    std::optional<Version> version;
    std::size_t calls = 0;
    for (auto at = bytes.find(load_format); at != std::string::npos;
         at = bytes.find(load_format, at + 1)) {
        const auto distance = number_at(bytes, at + load_format.size());
        if (!distance)
            break;
        // Code and read-only data have the same distance in memory as in the file.
        const auto target = static_cast<std::int64_t>(at) + 7 + *distance;
        if (target < 0 || static_cast<std::size_t>(target) >= bytes.size() ||
            bytes.compare(static_cast<std::size_t>(target), format.size(), format) != 0)
            continue;
        const auto passed = version_passed(bytes, at);
        // arguments further away than others
        if (!passed)
            continue;
        if ((version && *version != *passed) || ++calls > most_calls)
            return std::nullopt;
        version = passed;
    }
    return version;
}

std::optional<int> cuda_major_of_gpu_code(const Root& root, std::string_view path) {
    const auto real = root.real_path(path);
    if (!real)
        return std::nullopt;
    const FilePieces pieces(root.outside(*real));
    if (pieces.error() != 0)
        return std::nullopt;
    const auto section = section_named(pieces, ".nv_fatbin");
    if (!section)
        return std::nullopt;
    return cuda_major_of_ptx(pieces, *section);
}

}  // namespace rnncheck::elf
