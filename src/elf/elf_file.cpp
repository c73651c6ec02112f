#include "elf/elf_file.hpp"

#include <elf.h>

#include <algorithm>
#include <cctype>

#include "base/text.hpp"
#include "elf/byte_reader.hpp"

namespace rnncheck::elf {

namespace {

constexpr std::uint64_t most_segments = 256;
constexpr std::uint64_t most_dynamic_bytes = 1 << 20;
constexpr std::size_t most_needed = 1024;
constexpr std::size_t longest_string = 4096;

/// Offsets inside the headers, which differ between the 32- and 64-bit form (elf.h).
struct Form {
    bool wide;
    bool swapped;

    std::uint64_t word(const std::string& bytes, std::size_t offset) const {
        return wide ? number_at<std::uint64_t>(bytes, offset, swapped) : number_at<std::uint32_t>(bytes, offset, swapped);
    }
    std::uint16_t half(const std::string& bytes, std::size_t offset) const {
        return number_at<std::uint16_t>(bytes, offset, swapped);
    }
    std::size_t header_bytes() const { return wide ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr); }
    std::size_t segment_bytes() const { return wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr); }
    std::size_t entry_bytes() const { return wide ? sizeof(Elf64_Dyn) : sizeof(Elf32_Dyn); }
};

struct Segment {
    std::uint32_t type = 0;
    std::uint64_t offset = 0, address = 0, file_bytes = 0;
};

/// Thrown inside this file only; read_elf turns it into its answer.
struct Refused {
    ElfProblem problem;
};

[[noreturn]] void refuse(FileProblem problem, std::string detail) { throw Refused{{problem, std::move(detail)}}; }

std::string what_it_is(const std::string& start) {
    if (start.empty()) return "is empty";
    const bool printable = std::all_of(start.begin(), start.end(), [](unsigned char c) { return std::isprint(c) || std::isspace(c); });
    return printable ? "is a text file, not a library" : "is not a library (no ELF header)";
}

/// The dynamic section with the file around it.
class Reader {
  public:
    explicit Reader(const ByteReader& file) : file_(file) {
        const std::string ident = file.bytes(0, std::min<std::uint64_t>(file.size(), EI_NIDENT)).value_or("");
        if (ident.size() < EI_NIDENT || !ident.starts_with(ELFMAG)) refuse(FileProblem::not_elf, what_it_is(ident));
        const int bits = ident[EI_CLASS], order = ident[EI_DATA];
        if ((bits != ELFCLASS32 && bits != ELFCLASS64) || (order != ELFDATA2LSB && order != ELFDATA2MSB))
            refuse(FileProblem::damaged, "has a damaged ELF header");
        form_ = {bits == ELFCLASS64, order == ELFDATA2MSB};
        header_ = needed_bytes(0, form_.header_bytes());
    }

    ElfFile read() {
        ElfFile found;
        found.machine = {form_.wide ? 64 : 32, form_.half(header_, offsetof(Elf64_Ehdr, e_machine))};
        if (form_.half(header_, offsetof(Elf64_Ehdr, e_type)) != ET_DYN) refuse(FileProblem::damaged, "is an ELF file but no shared library");
        read_segments();
        read_dynamic(found);
        return found;
    }

  private:
    std::string needed_bytes(std::uint64_t offset, std::uint64_t length) const {
        auto bytes = file_.bytes(offset, length);
        if (!bytes) refuse(FileProblem::truncated, "is truncated: it ends before what its headers promise");
        return *std::move(bytes);
    }

    void read_segments() {
        const std::uint64_t table = form_.word(header_, form_.wide ? offsetof(Elf64_Ehdr, e_phoff) : offsetof(Elf32_Ehdr, e_phoff));
        const std::uint64_t count = form_.half(header_, form_.wide ? offsetof(Elf64_Ehdr, e_phnum) : offsetof(Elf32_Ehdr, e_phnum));
        const std::uint64_t size = form_.half(header_, form_.wide ? offsetof(Elf64_Ehdr, e_phentsize) : offsetof(Elf32_Ehdr, e_phentsize));
        if (size != form_.segment_bytes() || count == 0 || count > most_segments) refuse(FileProblem::damaged, "has a damaged segment table");
        const std::string bytes = needed_bytes(table, count * size);
        for (std::uint64_t i = 0; i < count; ++i) segments_.push_back(segment_at(bytes, i * size));
        for (const Segment& segment : segments_)
            if (segment.type == PT_LOAD && (segment.offset > file_.size() || segment.file_bytes > file_.size() - segment.offset))
                refuse(FileProblem::truncated, "is truncated: it has " + std::to_string(file_.size()) + " bytes, its segments need more");
    }

    Segment segment_at(const std::string& bytes, std::size_t at) const {
        const auto field = [&](std::size_t wide, std::size_t narrow) { return form_.word(bytes, at + (form_.wide ? wide : narrow)); };
        return {number_at<std::uint32_t>(bytes, at, form_.swapped), field(offsetof(Elf64_Phdr, p_offset), offsetof(Elf32_Phdr, p_offset)),
                field(offsetof(Elf64_Phdr, p_vaddr), offsetof(Elf32_Phdr, p_vaddr)),
                field(offsetof(Elf64_Phdr, p_filesz), offsetof(Elf32_Phdr, p_filesz))};
    }

    /// Offset in the file of a loaded address.
    std::optional<std::uint64_t> offset_of(std::uint64_t address) const {
        for (const Segment& segment : segments_)
            if (segment.type == PT_LOAD && address >= segment.address && address - segment.address < segment.file_bytes)
                return segment.offset + (address - segment.address);
        return std::nullopt;
    }

    struct Entry {
        std::uint64_t tag, value;
    };

    std::vector<Entry> entries() const {
        const auto dynamic = std::find_if(segments_.begin(), segments_.end(), [](const Segment& s) { return s.type == PT_DYNAMIC; });
        if (dynamic == segments_.end()) refuse(FileProblem::damaged, "has no dynamic section");
        const std::string bytes = needed_bytes(dynamic->offset, std::min(dynamic->file_bytes, most_dynamic_bytes));
        std::vector<Entry> list;
        for (std::size_t at = 0; at + form_.entry_bytes() <= bytes.size(); at += form_.entry_bytes()) {
            const Entry entry{form_.word(bytes, at), form_.word(bytes, at + form_.entry_bytes() / 2)};
            if (entry.tag == DT_NULL) break;
            list.push_back(entry);
        }
        return list;
    }

    void read_dynamic(ElfFile& found) const {
        const auto list = entries();
        std::optional<std::uint64_t> table;
        for (const Entry& entry : list)
            if (entry.tag == DT_STRTAB) table = offset_of(entry.value);
        if (!table) refuse(FileProblem::damaged, "has no string table");
        for (const Entry& entry : list) take(entry, *table, found);
    }

    void take(const Entry& entry, std::uint64_t table, ElfFile& found) const {
        if (entry.tag == DT_SONAME) found.soname = string_at(table, entry.value);
        if (entry.tag == DT_NEEDED && found.needed.size() < most_needed) found.needed.push_back(string_at(table, entry.value));
        const bool runpath = entry.tag == DT_RUNPATH;
        if (runpath || (entry.tag == DT_RPATH && found.run_path.empty())) {
            found.run_path = split(string_at(table, entry.value), ':');
            found.rpath_only = !runpath;
        }
    }

    std::string string_at(std::uint64_t table, std::uint64_t offset) const {
        if (offset > file_.size() || table > file_.size() - offset) refuse(FileProblem::damaged, "has a damaged string table");
        const std::uint64_t start = table + offset;
        const std::string bytes = file_.bytes(start, std::min<std::uint64_t>(longest_string, file_.size() - start)).value_or("");
        const auto end = bytes.find('\0');
        if (end == std::string::npos) refuse(FileProblem::damaged, "has a damaged string table");
        return bytes.substr(0, end);
    }

    const ByteReader& file_;
    Form form_{};
    std::string header_;
    std::vector<Segment> segments_;
};

}  // namespace

std::string machine_name(const Machine& machine) {
    static constexpr std::pair<int, const char*> names[] = {{EM_X86_64, "x86-64"}, {EM_AARCH64, "aarch64"}, {EM_386, "x86"},
                                                            {EM_ARM, "arm"},       {EM_PPC64, "ppc64"},     {EM_RISCV, "riscv"}};
    const std::string bits = std::to_string(machine.bits) + "-bit ";
    for (const auto& [number, name] : names)
        if (number == machine.number) return bits + name;
    return bits + "machine " + std::to_string(machine.number);
}

Machine our_machine() {
#if defined(__x86_64__)
    constexpr int number = EM_X86_64;
#elif defined(__aarch64__)
    constexpr int number = EM_AARCH64;
#elif defined(__powerpc64__)
    constexpr int number = EM_PPC64;
#else
#error "Which e_machine is this?"
#endif
    return {static_cast<int>(sizeof(void*)) * 8, number};
}

std::variant<ElfFile, ElfProblem> read_elf(const Root& root, const std::string& path) {
    const auto real = root.real_path(path);
    if (!real) return ElfProblem{FileProblem::dangling_link, "is a symbolic link to a file that does not exist"};
    const auto file = ByteReader::open(root.outside(*real));
    if (!file) return ElfProblem{FileProblem::unreadable, "cannot be read (no permission, or no regular file)"};
    try {
        return Reader(*file).read();
    } catch (const Refused& refused) {
        return refused.problem;
    }
}

}  // namespace rnncheck::elf
