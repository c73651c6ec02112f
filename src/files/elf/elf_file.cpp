// The checks are those of open_verify and _dl_map_object_from_fd in glibc's elf/dl-load.c,
// in their order, so that the first problem is the one at which the loader stops.
#include "files/elf/elf_file.hpp"

#include <link.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <unordered_set>

#include "base/lists.hpp"
#include "base/text.hpp"

namespace rnncheck::elf {

namespace {

/// "64-bit x86-64", "32-bit x86", "64-bit machine 258".
std::string machine_in_words(unsigned char elf_class, unsigned machine) {
    using Name = std::pair<unsigned, const char*>;
    constexpr Name names[] = {
        {EM_X86_64, "x86-64"},
        {EM_386, "x86"},
        {EM_AARCH64, "AArch64"},
        {EM_ARM, "ARM"},
        {EM_PPC64, "PowerPC"},
        {EM_RISCV, "RISC-V"},
        {EM_S390, "S/390"}};
    const Name* const known = find_by(names, &Name::first, machine);
    std::string bits = "32-bit ";
    if (elf_class == ELFCLASS64)
        bits = "64-bit ";
    if (!known)
        return bits + "machine " + std::to_string(machine);
    return bits + known->second;
}

using Header = ElfW(Ehdr);
using Segment = ElfW(Phdr);
using Entry = ElfW(Dyn);

// Real GPU libraries have about 10 segments, 40 entries and 12 needed libraries.
constexpr std::size_t most_segments = 512;
constexpr std::size_t most_entries = 4096;
constexpr std::size_t most_needed = 512;
constexpr std::size_t longest_path = 4096;
// TensorFlow 2.21.0 has a run path of 20,300 bytes, 92 entries. One name may be
// as long as the file; these bounds keep a hostile file from costing more than
// a second, and reaching one is no fault of the file.
constexpr std::size_t most_name_bytes = 16 << 20;  // of all names together
constexpr std::size_t most_directories = 8192;     // different ones in a run path

/// The first problem found counts: what follows is mostly its consequence.
void fail(ElfFile& file, FileProblem problem, const std::string& detail) {
    if (file.problem)
        return;
    file.problem = problem;
    file.problem_detail = detail;
}

void damaged(ElfFile& file, const std::string& detail) {
    fail(file, FileProblem::damaged, "is damaged: " + detail);
}

void truncated(ElfFile& file, std::uint64_t size, std::uint64_t end) {
    fail(file, FileProblem::truncated, cut_off(size, end));
}

/// The program headers, by which alone the loader maps a file.
std::vector<Segment> read_segments(
    ElfFile& file, const FilePieces& pieces, const std::string& start) {
    Header header;
    std::memcpy(&header, start.data(), sizeof header);
    const std::size_t length = header.e_phnum * sizeof(Segment);
    if (header.e_phentsize != sizeof(Segment) || header.e_phnum == 0 ||
        header.e_phnum > most_segments)
        damaged(file, "its table of segments has an impossible size");
    else if (header.e_phoff > std::numeric_limits<std::uint64_t>::max() - length)
        damaged(file, "its table of segments lies at an impossible place");
    else if (header.e_phoff + length > pieces.size())
        truncated(file, pieces.size(), header.e_phoff + length);
    if (file.problem)
        return {};
    return as_array<Segment>(pieces.at(header.e_phoff, length));
}

/// A download that was cut off has whole headers at its start; its
/// segments end after the file.
void check_extent(ElfFile& file, const FilePieces& pieces, const std::vector<Segment>& segments) {
    std::uint64_t end = 0;
    for (const auto& segment : segments) {
        if (segment.p_type != PT_LOAD && segment.p_type != PT_DYNAMIC)
            continue;
        if (segment.p_filesz > std::numeric_limits<std::uint64_t>::max() - segment.p_offset ||
            segment.p_memsz < segment.p_filesz)
            return damaged(file, "a segment has an impossible size");
        end = std::max<std::uint64_t>(end, segment.p_offset + segment.p_filesz);
    }
    if (end > pieces.size())
        truncated(file, pieces.size(), end);
}

/// Names are at addresses; in the file they are where the segment is that is mapped there.
std::optional<std::uint64_t> offset_of(
    const std::vector<Segment>& segments, std::uint64_t address) {
    for (const auto& segment : segments)
        if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
            address - segment.p_vaddr < segment.p_filesz)
            return segment.p_offset + (address - segment.p_vaddr);
    return std::nullopt;
}

/// The names of a dynamic section.
class NameTable {
  public:
    NameTable(const FilePieces& pieces, std::uint64_t offset, std::uint64_t size)
        : pieces_(pieces), offset_(offset), size_(size) {
    }

    /// Nothing for a name that is outside the table or not
    /// terminated, and once too much was read.
    std::optional<std::string> at(std::uint64_t place) {
        std::string name;
        while (place < size_ && !exhausted()) {
            const auto length =
                static_cast<std::size_t>(std::min<std::uint64_t>(piece, size_ - place));
            const std::string bytes = pieces_.at(offset_ + place, length);
            if (bytes.empty())
                break;
            const auto end = bytes.find('\0');
            name.append(bytes, 0, end);
            read_ += std::min(end, bytes.size());
            if (end != std::string::npos)
                return name;
            place += bytes.size();
        }
        return std::nullopt;
    }
    bool exhausted() const {
        return read_ > most_name_bytes;
    }

  private:
    static constexpr std::size_t piece = 4096;

    const FilePieces& pieces_;
    std::uint64_t offset_, size_;
    std::size_t read_ = 0;
};

std::vector<Entry> read_entries(
    ElfFile& file, const FilePieces& pieces, const std::vector<Segment>& segments) {
    const Segment* const dynamic = find_by(segments, &Segment::p_type, PT_DYNAMIC);
    if (!dynamic)
        return {};
    file.has_dynamic_section = true;
    const auto length = std::min<std::uint64_t>(dynamic->p_filesz, most_entries * sizeof(Entry));
    auto entries = as_array<Entry>(pieces.at(dynamic->p_offset, static_cast<std::size_t>(length)));
    const auto end =
        std::ranges::find_if(entries, [](const Entry& e) { return e.d_tag == DT_NULL; });
    if (end == entries.end() && dynamic->p_filesz > length)
        file.not_read =
            "its dynamic section has more than " + std::to_string(most_entries) + " entries";
    entries.erase(end, entries.end());
    return entries;
}

std::optional<std::uint64_t> value_of(const std::vector<Entry>& entries, std::int64_t tag) {
    const Entry* const entry = find_by(entries, &Entry::d_tag, tag);
    if (!entry)
        return std::nullopt;
    return entry->d_un.d_val;
}

/// The directories of a run path, each once: the loader searches none twice
/// (fillin_rpath in glibc's elf/dl-load.c).
std::vector<std::string> directories_in(ElfFile& file, const std::string& run_path) {
    std::vector<std::string> directories;
    std::unordered_set<std::string> seen;
    for (auto& entry : split(run_path, ':')) {
        if (!seen.insert(entry).second)
            continue;
        if (directories.size() == most_directories) {
            file.not_read =
                "its run path has more than " + std::to_string(most_directories) + " directories";
            break;
        }
        directories.push_back(std::move(entry));
    }
    return directories;
}

/// DT_FILTER and DT_AUXILIARY of a library are loaded with what it needs (elf/dl-deps.c).
void take_name(ElfFile& file, std::int64_t tag, const std::string& name) {
    if (tag == DT_SONAME)
        file.soname = name;
    else if (tag == DT_NEEDED || tag == DT_FILTER)
        file.needed.push_back(name);
    else if (tag == DT_AUXILIARY)
        file.auxiliary.push_back(name);
    else if (tag == DT_RPATH)
        file.rpath = directories_in(file, name);
    else {
        file.runpath = directories_in(file, name);
        file.has_runpath = true;
    }
}

void read_names(ElfFile& file, const std::vector<Entry>& entries, NameTable names) {
    constexpr std::int64_t tags[] = {
        DT_SONAME, DT_NEEDED, DT_RPATH, DT_RUNPATH, DT_FILTER, DT_AUXILIARY};
    for (const auto& entry : entries) {
        const auto tag = static_cast<std::int64_t>(entry.d_tag);
        if (!includes(tags, tag))
            continue;
        const auto name = names.at(entry.d_un.d_val);
        if (names.exhausted()) {
            file.not_read = "the names in its dynamic section are longer than 16 MiB together";
            return;
        }
        if (!name)
            return damaged(
                file,
                "a name in its dynamic section is outside the table of names or not terminated");
        if (file.needed.size() + file.auxiliary.size() == most_needed && tag != DT_SONAME)
            return damaged(file, "it needs an impossible number of libraries");
        take_name(file, tag, *name);
    }
}

/// A file with an interpreter is a program, even if its type is
/// ET_DYN (position-independent).
void read_interpreter(
    ElfFile& file, const FilePieces& pieces, const std::vector<Segment>& segments) {
    const Segment* const segment = find_by(segments, &Segment::p_type, PT_INTERP);
    if (!segment)
        return;
    const auto text =
        pieces.at(segment->p_offset, std::min<std::size_t>(segment->p_filesz, longest_path));
    file.interpreter = text.substr(0, text.find('\0'));
    file.is_program = true;
}

/// Section headers are not looked at: they may be stripped, and the loader does
/// not use them.
void read_dynamic_section(
    ElfFile& file, const FilePieces& pieces, const std::string& start, ElfUse use) {
    const std::vector<Segment> segments = read_segments(file, pieces, start);
    if (file.problem)
        return;
    check_extent(file, pieces, segments);
    read_interpreter(file, pieces, segments);
    const std::vector<Entry> entries = read_entries(file, pieces, segments);
    if (!file.has_dynamic_section && use == ElfUse::program)
        return;
    if (!file.has_dynamic_section)
        return damaged(file, "it has no dynamic section, so it is not a shared library");
    if (entries.empty())
        return damaged(file, "its dynamic section is empty");
    const std::uint64_t flags = value_of(entries, DT_FLAGS_1).value_or(0);
    file.no_default_directories = flags & DF_1_NODEFLIB;
    file.is_program |= (flags & DF_1_PIE) != 0;
    // rejected since glibc 2.30
    if (use == ElfUse::library && (flags & DF_1_PIE))
        damaged(file, "it is a program, not a shared library");
    const auto address = value_of(entries, DT_STRTAB);
    const auto size = value_of(entries, DT_STRSZ);
    std::optional<std::uint64_t> offset;
    if (address)
        offset = offset_of(segments, *address);
    if (!offset || !size)
        return damaged(file, "its dynamic section has no table of names within the file");
    read_names(file, entries, NameTable(pieces, *offset, *size));
}

constexpr std::string_view magic =
    "\x7f"
    "ELF";
constexpr std::size_t start_length = 256;  // the ELF header, or what else it is

/// What the loader does with a file that it cannot use.
enum class Then { stop, skip, abort_list };

ElfFile with_problem(FileProblem problem, const std::string& detail, Then then = Then::stop) {
    ElfFile file;
    fail(file, problem, detail);
    file.skipped = then == Then::skip;
    file.aborts_list = then == Then::abort_list;
    return file;
}

ElfFile absent(const Root& root, std::string_view path) {
    const auto target = root.link(path);
    if (!target)
        return with_problem(FileProblem::unreadable, "does not exist", Then::skip);
    const std::string link = "is a symbolic link to '" + target->substr(0, 300) + "', which leads ";
    if (root.links_in_circle(path))
        return with_problem(FileProblem::link_circle, link + "into a loop", Then::abort_list);
    return with_problem(FileProblem::dangling_link, link + "to no file", Then::skip);
}

/// The loader fails on a socket because it cannot be opened, on the others
/// because they are no ELF files.
std::optional<ElfFile> never_opened(const std::string& path) {
    const auto fault = no_regular_file(path);
    if (!fault)
        return std::nullopt;
    Then then = Then::stop;
    if (fault->problem == FileProblem::socket)
        then = Then::abort_list;
    return with_problem(fault->problem, fault->detail, then);
}

/// A file without permission is skipped, another failure ends the list (open_path).
ElfFile unopened(int error) {
    Then then = Then::abort_list;
    if (error == EACCES)
        then = Then::skip;
    return with_problem(FileProblem::unreadable, why_not_opened(error), then);
}

ElfFile other(FileProblem problem, const std::string& machine, Then then) {
    ElfFile file = with_problem(
        problem,
        "is built for another architecture: " + machine + ", here it is " +
            machine_in_words(own_class, own_machine),
        then);
    file.machine = machine;
    return file;
}

std::string type_in_words(unsigned type) {
    if (type == ET_REL)
        return "an object file";
    if (type == ET_EXEC)
        return "a program";
    if (type == ET_CORE)
        return "a core dump";
    return "of unknown type";
}

/// What the ELF header alone shows, in the order in which the loader checks it;
/// `start` begins with the magic.
ElfFile judge_header(const std::string& start, ElfUse use) {
    Header header;
    if (start.size() < sizeof header)
        return with_problem(FileProblem::truncated, "is cut off within its ELF header");
    std::memcpy(&header, start.data(), sizeof header);
    const unsigned char elf_class = header.e_ident[EI_CLASS];
    const unsigned char order = header.e_ident[EI_DATA];
    const bool known = (elf_class == ELFCLASS32 || elf_class == ELFCLASS64) &&
                       (order == ELFDATA2LSB || order == ELFDATA2MSB);
    if (!known || header.e_ident[EI_VERSION] != EV_CURRENT) {
        const bool is_skipped = known && elf_class != own_class;
        return with_problem(
            FileProblem::damaged,
            "is damaged: its ELF header contains invalid values",
            is_skipped ? Then::skip : Then::stop);
    }
    unsigned number = header.e_machine;
    if (order != own_byte_order)
        number = __builtin_bswap16(header.e_machine);
    const std::string machine = machine_in_words(elf_class, number);
    if (elf_class != own_class)
        return other(FileProblem::other_class, machine, Then::skip);
    if (order != own_byte_order)
        return other(FileProblem::other_machine, machine + " of the other byte order", Then::stop);
    if (header.e_ident[EI_OSABI] != ELFOSABI_SYSV && header.e_ident[EI_OSABI] != ELFOSABI_GNU)
        return other(
            FileProblem::other_machine, machine + " for another operating system", Then::stop);
    if (header.e_machine != own_machine)
        return other(FileProblem::other_machine, machine, Then::skip);
    ElfFile file;
    const bool program = use == ElfUse::program && header.e_type == ET_EXEC;
    if (header.e_type != ET_DYN && !program)
        file = with_problem(
            FileProblem::damaged, "is not a shared library but " + type_in_words(header.e_type));
    file.machine = machine;
    file.is_program = program;
    return file;
}

}  // namespace

ElfFile read_elf_file(const Root& root, std::string_view path, ElfUse use) {
    const auto real = root.real_path(path);
    if (!real)
        return absent(root, path);
    if (auto other_thing = never_opened(root.outside(*real)))
        return *other_thing;
    const FilePieces pieces(root.outside(*real));
    if (pieces.error() != 0)
        return unopened(pieces.error());
    const std::string start = pieces.at(0, start_length);
    if (start.empty() && pieces.size() > 0)
        return with_problem(FileProblem::unreadable, "cannot be read");
    if (start.empty() || start.compare(0, magic.size(), magic, 0, start.size()) != 0)
        return with_problem(FileProblem::not_elf, describe_non_elf(start, "an ELF file"));
    ElfFile file = judge_header(start, use);
    if (!file.problem)
        read_dynamic_section(file, pieces, start, use);
    return file;
}

}  // namespace rnncheck::elf
