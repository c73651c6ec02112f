#include "files/elf/elf_file.hpp"

#include <link.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "files/elf/dynamic_section.hpp"
#include "files/elf/file_pieces.hpp"
#include "files/elf/machine_names.hpp"

namespace rnncheck::elf {

namespace {

constexpr std::string_view magic =
    "\x7f"
    "ELF";
constexpr std::size_t start_length = 4096;  // the ELF header and, in practice, all program headers

ElfFile with_problem(FileProblem problem, const std::string& detail, bool passed_over = false) {
    ElfFile file;
    file.problem = problem;
    file.problem_detail = detail;
    file.passed_over = passed_over;
    return file;
}

ElfFile ending_list(FileProblem problem, const std::string& detail) {
    ElfFile file = with_problem(problem, detail);
    file.ends_list = true;
    return file;
}

ElfFile absent(const Root& root, std::string_view path) {
    const auto target = root.link(path);
    if (!target) return with_problem(FileProblem::unreadable, "does not exist", true);
    const std::string link = "is a symbolic link to '" + target->substr(0, 300) + "', which leads ";
    if (root.links_in_circle(path)) return ending_list(FileProblem::link_circle, link + "in a circle");
    return with_problem(FileProblem::dangling_link, link + "to no file", true);
}

/// What is never opened, to look at it or by the loader's own fault; nothing for a regular file.
std::optional<ElfFile> no_regular_file(const std::string& path) {
    struct stat about {};
    if (stat(path.c_str(), &about) != 0 || S_ISREG(about.st_mode)) return std::nullopt;
    if (S_ISDIR(about.st_mode)) return with_problem(FileProblem::folder, "is a folder, not a file");
    if (S_ISFIFO(about.st_mode)) return with_problem(FileProblem::named_pipe, "is a named pipe (FIFO), not a file");
    if (S_ISSOCK(about.st_mode)) return ending_list(FileProblem::socket, "is a socket, not a file");
    return with_problem(FileProblem::device, "is a device, not a file");
}

ElfFile unopened(const FilePieces& pieces) {
    if (pieces.error() == EACCES) return with_problem(FileProblem::unreadable, pieces.problem(), true);
    return ending_list(FileProblem::unreadable, pieces.problem());
}

bool is_text(std::string_view bytes) {
    return std::all_of(bytes.begin(), bytes.end(), [](unsigned char c) {
        return (c >= 0x20 && c != 0x7F) || c == '\t' || c == '\n' || c == '\r' || c == '\f';
    });
}

std::string bytes_in_words(std::string_view bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string words;
    for (const unsigned char byte : bytes) words += {' ', digits[byte >> 4], digits[byte & 15]};
    return words;
}

std::string what_else_it_is(std::string_view start) {
    if (start.empty()) return "is empty";
    if (is_text(start.substr(0, 256)))
        return "is a text file that begins with '" +
               std::string(start.substr(0, std::min<std::size_t>(start.find('\n'), 60))) + "'";
    return "is not an ELF file: it begins with the bytes" + bytes_in_words(start.substr(0, 4));
}

std::uint16_t in_order_of(unsigned char byte_order, std::uint16_t value) {
    return byte_order == own_byte_order ? value : static_cast<std::uint16_t>(value << 8 | value >> 8);
}

ElfFile other(FileProblem problem, const std::string& machine, bool passed_over) {
    ElfFile file = with_problem(
        problem, "is made for another machine: " + machine + ", here it is " + machine_in_words(own_class, own_machine),
        passed_over);
    file.machine = machine;
    return file;
}

std::string type_in_words(unsigned type) {
    switch (type) {
        case ET_REL:
            return "an object file";
        case ET_EXEC:
            return "a program";
        case ET_CORE:
            return "a core dump";
        default:
            return "of unknown type";
    }
}

/// What the ELF header alone says, in the order in which the loader checks it; `start` begins with the magic.
ElfFile judge_header(const std::string& start, ElfUse use) {
    ElfW(Ehdr) header;
    if (start.size() < sizeof header) return with_problem(FileProblem::truncated, "is cut off within its ELF header");
    std::memcpy(&header, start.data(), sizeof header);
    const unsigned char elf_class = header.e_ident[EI_CLASS];
    const unsigned char order = header.e_ident[EI_DATA];
    const bool known =
        (elf_class == ELFCLASS32 || elf_class == ELFCLASS64) && (order == ELFDATA2LSB || order == ELFDATA2MSB);
    if (!known || header.e_ident[EI_VERSION] != EV_CURRENT)
        return with_problem(FileProblem::damaged, "is damaged: its ELF header holds impossible values",
                            known && elf_class != own_class);
    const std::string machine = machine_in_words(elf_class, in_order_of(order, header.e_machine));
    if (elf_class != own_class) return other(FileProblem::other_class, machine, true);
    if (order != own_byte_order) return other(FileProblem::other_machine, machine + " of the other byte order", false);
    if (header.e_ident[EI_OSABI] != ELFOSABI_SYSV && header.e_ident[EI_OSABI] != ELFOSABI_GNU)
        return other(FileProblem::other_machine, machine + " for another operating system", false);
    if (header.e_machine != own_machine) return other(FileProblem::other_machine, machine, true);
    ElfFile file;
    const bool program = use == ElfUse::program && header.e_type == ET_EXEC;
    if (header.e_type != ET_DYN && !program)
        file = with_problem(FileProblem::damaged, "is no shared library but " + type_in_words(header.e_type));
    file.machine = machine;
    file.is_program = program;
    return file;
}

ElfFile read(const Root& root, std::string_view path, ElfUse use) {
    const auto real = root.real_path(path);
    if (!real) return absent(root, path);
    if (auto other_thing = no_regular_file(root.outside(*real))) return *other_thing;
    const FilePieces pieces(root.outside(*real));
    if (pieces.error() != 0) return unopened(pieces);
    const std::string start = pieces.at(0, start_length);
    if (start.empty() && pieces.size() > 0) return with_problem(FileProblem::unreadable, "cannot be read");
    if (start.empty() || start.compare(0, magic.size(), magic, 0, start.size()) != 0)
        return with_problem(FileProblem::not_elf, what_else_it_is(start));
    ElfFile file = judge_header(start, use);
    if (!file.problem) read_dynamic_section(file, pieces, start, use);
    return file;
}

}  // namespace

ElfFile read_elf_file(const Root& root, std::string_view path) {
    return read(root, path, ElfUse::library);
}

ElfFile read_elf_program(const Root& root, std::string_view path) {
    return read(root, path, ElfUse::program);
}

}  // namespace rnncheck::elf
