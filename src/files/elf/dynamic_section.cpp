#include "files/elf/dynamic_section.hpp"

#include <link.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/text.hpp"

namespace rnncheck::elf {

namespace {

using Header = ElfW(Ehdr);
using Segment = ElfW(Phdr);
using Entry = ElfW(Dyn);

// Real GPU libraries have about 10 segments, 40 entries and 12 needed libraries.
constexpr std::size_t most_segments = 512;
constexpr std::size_t most_entries = 4096;
constexpr std::size_t most_needed = 512;
constexpr std::size_t longest_text = 4096;

template <class T>
std::vector<T> as_array(const std::string& bytes) {
    std::vector<T> items(bytes.size() / sizeof(T));
    if (!items.empty()) std::memcpy(items.data(), bytes.data(), items.size() * sizeof(T));
    return items;
}

/// The first problem found stands: what follows is mostly its consequence.
void fail(ElfFile& file, FileProblem problem, const std::string& detail) {
    if (file.problem) return;
    file.problem = problem;
    file.problem_detail = detail;
}

void damaged(ElfFile& file, const std::string& detail) {
    fail(file, FileProblem::damaged, "is damaged: " + detail);
}

void truncated(ElfFile& file, std::uint64_t size, std::uint64_t end) {
    fail(file, FileProblem::truncated,
         "is cut off: it ends after " + counted(size, "byte", "bytes") + ", its contents reach to byte " +
             std::to_string(end));
}

std::vector<Segment> read_segments(ElfFile& file, const FilePieces& pieces, const std::string& start) {
    Header header;
    std::memcpy(&header, start.data(), sizeof header);
    const std::size_t length = header.e_phnum * sizeof(Segment);
    if (header.e_phentsize != sizeof(Segment) || header.e_phnum == 0 || header.e_phnum > most_segments)
        damaged(file, "its table of segments has an impossible size");
    else if (header.e_phoff > std::numeric_limits<std::uint64_t>::max() - length)
        damaged(file, "its table of segments lies at an impossible place");
    else if (header.e_phoff + length > pieces.size())
        truncated(file, pieces.size(), header.e_phoff + length);
    if (file.problem) return {};
    if (header.e_phoff + length <= start.size()) return as_array<Segment>(start.substr(header.e_phoff, length));
    return as_array<Segment>(pieces.at(header.e_phoff, length));
}

void check_extent(ElfFile& file, const FilePieces& pieces, const std::vector<Segment>& segments) {
    std::uint64_t end = 0;
    for (const auto& segment : segments) {
        if (segment.p_type != PT_LOAD && segment.p_type != PT_DYNAMIC) continue;
        if (segment.p_filesz > std::numeric_limits<std::uint64_t>::max() - segment.p_offset ||
            segment.p_memsz < segment.p_filesz)
            return damaged(file, "a segment has an impossible size");
        end = std::max<std::uint64_t>(end, segment.p_offset + segment.p_filesz);
    }
    if (end > pieces.size()) truncated(file, pieces.size(), end);
}

std::optional<std::uint64_t> offset_of(const std::vector<Segment>& segments, std::uint64_t address) {
    for (const auto& segment : segments)
        if (segment.p_type == PT_LOAD && address >= segment.p_vaddr && address - segment.p_vaddr < segment.p_filesz)
            return segment.p_offset + (address - segment.p_vaddr);
    return std::nullopt;
}

/// The names of a dynamic section, read in windows since they lie close together in a table of any size.
class NameTable {
  public:
    NameTable(const FilePieces& pieces, std::uint64_t offset, std::uint64_t size)
        : pieces_(pieces), offset_(offset), size_(size) {}

    std::optional<std::string> at(std::uint64_t place) {
        if (place >= size_) return std::nullopt;
        if (auto text = in_window(place)) return text;
        window_start_ = place;
        window_ =
            pieces_.at(offset_ + place, static_cast<std::size_t>(std::min<std::uint64_t>(longest_text, size_ - place)));
        return in_window(place);
    }

  private:
    std::optional<std::string> in_window(std::uint64_t place) const {
        if (place < window_start_ || place - window_start_ >= window_.size()) return std::nullopt;
        const auto begin = static_cast<std::size_t>(place - window_start_);
        const auto end = window_.find('\0', begin);
        if (end == std::string::npos) return std::nullopt;
        return window_.substr(begin, end - begin);
    }

    const FilePieces& pieces_;
    std::uint64_t offset_;
    std::uint64_t size_;
    std::uint64_t window_start_ = 0;
    std::string window_;
};

std::vector<Entry> read_entries(ElfFile& file, const FilePieces& pieces, const std::vector<Segment>& segments) {
    const auto dynamic =
        std::find_if(segments.begin(), segments.end(), [](const Segment& s) { return s.p_type == PT_DYNAMIC; });
    if (dynamic == segments.end()) return {};
    file.has_dynamic_section = true;
    const auto length = std::min<std::uint64_t>(dynamic->p_filesz, most_entries * sizeof(Entry));
    auto entries = as_array<Entry>(pieces.at(dynamic->p_offset, static_cast<std::size_t>(length)));
    const auto end = std::find_if(entries.begin(), entries.end(), [](const Entry& e) { return e.d_tag == DT_NULL; });
    entries.erase(end, entries.end());
    return entries;
}

std::optional<std::uint64_t> value_of(const std::vector<Entry>& entries, std::int64_t tag) {
    for (const auto& entry : entries)
        if (entry.d_tag == tag) return entry.d_un.d_val;
    return std::nullopt;
}

void take_name(ElfFile& file, std::int64_t tag, const std::string& name) {
    if (tag == DT_SONAME)
        file.soname = name;
    else if (tag == DT_NEEDED || tag == DT_FILTER)
        file.needed.push_back(name);
    else if (tag == DT_AUXILIARY)
        file.auxiliary.push_back(name);
    else if (tag == DT_RPATH)
        file.rpath = split(name, ':');
    else {
        file.runpath = split(name, ':');
        file.has_runpath = true;
    }
}

bool holds_name(std::int64_t tag) {
    constexpr std::int64_t tags[] = {DT_SONAME, DT_NEEDED, DT_RPATH, DT_RUNPATH, DT_FILTER, DT_AUXILIARY};
    return std::find(std::begin(tags), std::end(tags), tag) != std::end(tags);
}

void read_names(ElfFile& file, const std::vector<Entry>& entries, NameTable names) {
    for (const auto& entry : entries) {
        const auto tag = static_cast<std::int64_t>(entry.d_tag);
        if (!holds_name(tag)) continue;
        const auto name = names.at(entry.d_un.d_val);
        if (!name) return damaged(file, "a name in its dynamic section lies outside the table of names or has no end");
        if (file.needed.size() + file.auxiliary.size() == most_needed && tag != DT_SONAME)
            return damaged(file, "it needs an impossible number of libraries");
        take_name(file, tag, *name);
    }
}

void read_interpreter(ElfFile& file, const FilePieces& pieces, const std::vector<Segment>& segments) {
    for (const auto& segment : segments) {
        if (segment.p_type != PT_INTERP) continue;
        const auto text = pieces.at(segment.p_offset, std::min<std::size_t>(segment.p_filesz, longest_text));
        file.interpreter = text.substr(0, text.find('\0'));
        file.is_program = true;
    }
}

/// The loader refuses a program where a library is needed (since glibc 2.30).
void refuse_program(ElfFile& file, std::uint64_t flags) {
    if (flags & DF_1_PIE) damaged(file, "it is no shared library but a program");
}

}  // namespace

void read_dynamic_section(ElfFile& file, const FilePieces& pieces, const std::string& start, ElfUse use) {
    const std::vector<Segment> segments = read_segments(file, pieces, start);
    if (file.problem) return;
    check_extent(file, pieces, segments);
    read_interpreter(file, pieces, segments);
    const std::vector<Entry> entries = read_entries(file, pieces, segments);
    if (!file.has_dynamic_section && use == ElfUse::program) return;
    if (!file.has_dynamic_section) return damaged(file, "it has no dynamic section, so it is no shared library");
    if (entries.empty()) return damaged(file, "its dynamic section is empty");
    const std::uint64_t flags = value_of(entries, DT_FLAGS_1).value_or(0);
    file.no_default_folders = flags & DF_1_NODEFLIB;
    file.is_program |= (flags & DF_1_PIE) != 0;
    if (use == ElfUse::library) refuse_program(file, flags);
    const auto address = value_of(entries, DT_STRTAB);
    const auto size = value_of(entries, DT_STRSZ);
    const auto offset = address ? offset_of(segments, *address) : std::nullopt;
    if (!offset || !size) return damaged(file, "its dynamic section names no table of names within the file");
    read_names(file, entries, NameTable(pieces, *offset, *size));
}

}  // namespace rnncheck::elf
