// A PE file begins with a header for DOS, which has the place of the real one
// at 0x3C; addresses in it are relative to where the image is loaded.
#include "files/pe/pe_image.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace rnncheck::pe {

namespace {

constexpr std::size_t dos_header_size = 64, place_of_header = 0x3C;
constexpr std::string_view dos_magic = "MZ";
constexpr std::string_view signature("PE\0\0", 4);
constexpr std::size_t start_length = 256;
constexpr std::uint16_t magic_32 = 0x10B, magic_64 = 0x20B;
// more than Windows' loader accepts
constexpr std::size_t most_sections = 96;
constexpr std::size_t most_tables = 16;
constexpr std::size_t longest_text = 8192, window_size = 4096;

/// The parts of the optional header in front of its data directories that the loader needs.
struct OptionalStart {
    std::uint16_t magic = 0;
    std::uint32_t headers_size = 0, table_count = 0;
};

/// The optional header is of one of two lengths, by its magic:
/// 32-bit (PE32) or 64-bit (PE32+).
std::optional<OptionalStart> read_start(std::string_view bytes) {
    const auto magic = first_as<std::uint16_t>(bytes);
    if (magic != magic_32 && magic != magic_64)
        return std::nullopt;
    constexpr std::size_t place_of_size = 60, place_of_count_32 = 92, place_of_count_64 = 108;
    std::size_t place_of_count = place_of_count_32;
    if (*magic == magic_64)
        place_of_count = place_of_count_64;
    if (bytes.size() < place_of_count + 4)
        return std::nullopt;
    return OptionalStart{
        *magic,
        *first_as<std::uint32_t>(bytes.substr(place_of_size)),
        *first_as<std::uint32_t>(bytes.substr(place_of_count))};
}

}  // namespace

PeImage::PeImage(const Root& root, std::string_view path) {
    open_file(root, path);
    if (!problem_)
        read_headers();
}

void PeImage::open_file(const Root& root, std::string_view path) {
    const auto real = root.real_path(path);
    if (!real)
        return fail(FileProblem::unreadable, "does not exist");
    problem_ = no_regular_file(root.outside(*real));
    if (problem_)
        return;
    pieces_.emplace(root.outside(*real));
    if (pieces_->error() != 0)
        return fail(FileProblem::unreadable, why_not_opened(pieces_->error()));
}

void PeImage::fail(FileProblem problem, std::string detail) {
    problem_ = FileFault{problem, std::move(detail)};
}

void PeImage::read_headers() {
    const std::string start = pieces_->at(0, start_length);
    if (start.empty() && pieces_->size() > 0)
        return fail(FileProblem::unreadable, "cannot be read");
    if (start.empty() || start.compare(0, dos_magic.size(), dos_magic) != 0)
        return fail(FileProblem::not_pe, describe_non_elf(start, "a DLL or program of Windows"));
    if (start.size() < dos_header_size)
        return fail(FileProblem::truncated, "is cut off within its headers");
    const std::uint64_t at =
        *first_as<std::uint32_t>(std::string_view(start).substr(place_of_header));
    const std::string header = pieces_->at(at, signature.size() + sizeof(FileHeader));
    if (header.size() >= signature.size() && !header.starts_with(signature))
        return fail(FileProblem::not_pe, "is a program for DOS, not for Windows");
    if (header.size() < signature.size() + sizeof(FileHeader))
        return fail(FileProblem::truncated, "is cut off within its headers");
    header_ = *first_as<FileHeader>(std::string_view(header).substr(signature.size()));
    read_optional_header(at + header.size());
    if (!problem_)
        check_extent();
}

void PeImage::read_optional_header(std::uint64_t at) {
    const std::string bytes = pieces_->at(at, header_.optional_size);
    if (bytes.size() < header_.optional_size)
        return fail(FileProblem::truncated, "is cut off within its headers");
    const auto start = read_start(bytes);
    if (!start || header_.section_count > most_sections)
        return fail(FileProblem::damaged, "is damaged: its headers contain invalid values");
    is_64_bit_ = start->magic == magic_64;
    headers_size_ = start->headers_size;
    const std::size_t count = std::min<std::size_t>(start->table_count, most_tables);
    const std::size_t behind_start = is_64_bit_ ? 112 : 96;
    tables_ = as_array<DataDirectory>(
        std::string_view(bytes).substr(std::min(behind_start, bytes.size())));
    tables_.resize(std::min(tables_.size(), count));
    const std::size_t length = header_.section_count * sizeof(SectionHeader);
    sections_ = as_array<SectionHeader>(pieces_->at(at + bytes.size(), length));
    if (sections_.size() < header_.section_count)
        fail(FileProblem::truncated, "is cut off within its headers");
}

/// Where memory is larger than the file's part of a section, the rest is zeros;
/// only what is in the file counts.
void PeImage::check_extent() {
    std::uint64_t end = 0;
    for (const SectionHeader& section : sections_)
        if (section.file_size > 0)
            end = std::max(end, std::uint64_t{section.offset} + section.file_size);
    if (end > pieces_->size())
        fail(FileProblem::truncated, cut_off(pieces_->size(), end));
}

std::optional<DataDirectory> PeImage::table(Table which) const {
    const auto number = static_cast<std::size_t>(which);
    if (number >= tables_.size() || tables_[number].address == 0)
        return std::nullopt;
    return tables_[number];
}

/// Up to the end of its section in the file; the headers are mapped in front of
/// all sections.
std::string PeImage::at(std::uint64_t address, std::size_t length) const {
    for (const SectionHeader& section : sections_) {
        if (address < section.address || address - section.address >= section.file_size)
            continue;
        const std::uint64_t within = address - section.address;
        const auto most =
            static_cast<std::size_t>(std::min<std::uint64_t>(length, section.file_size - within));
        return pieces_->at(section.offset + within, most);
    }
    if (address >= headers_size_)
        return {};
    return pieces_->at(
        address,
        static_cast<std::size_t>(std::min<std::uint64_t>(length, headers_size_ - address)));
}

/// Names are beside each other, so that one read of 4 KiB serves many of them.
std::optional<std::string> PeImage::text_at(std::uint64_t address) const {
    std::string text;
    while (text.size() <= longest_text) {
        const std::uint64_t place = address + text.size();
        if (place < window_address_ || place - window_address_ >= window_.size()) {
            window_ = at(place, window_size);
            window_address_ = place;
            if (window_.empty())
                return std::nullopt;
        }
        const std::string_view rest = std::string_view(window_).substr(place - window_address_);
        const auto end = rest.find('\0');
        text += rest.substr(0, end);
        if (end != std::string_view::npos && text.size() <= longest_text)
            return text;
        if (end != std::string_view::npos)
            return std::nullopt;
    }
    return std::nullopt;
}

std::vector<Extent> data_of(const PeImage& image) {
    constexpr std::uint32_t initialized_data = 0x40, executed = 0x20000000;
    std::vector<Extent> extents;
    for (const SectionHeader& section : image.sections())
        if ((section.characteristics & (initialized_data | executed)) == initialized_data)
            extents.push_back({section.offset, section.file_size});
    return extents;
}

std::optional<std::vector<std::uint64_t>> addresses_at(
    const PeImage& image, std::uint64_t address) {
    constexpr std::size_t most_addresses = 65536, at_once = 512;
    const std::size_t width = image.is_64_bit() ? 8 : 4;
    std::vector<std::uint64_t> found;
    while (found.size() <= most_addresses) {
        const std::string bytes = image.at(address + found.size() * width, at_once * width);
        if (bytes.size() < width)
            return std::nullopt;
        for (std::size_t i = 0; i + width <= bytes.size(); i += width) {
            std::uint64_t value = 0;
            // PE files and the machines that rnncheck runs on: low first
            std::memcpy(&value, bytes.data() + i, width);
            if (value == 0)
                return found;
            found.push_back(value);
        }
    }
    return std::nullopt;
}

}  // namespace rnncheck::pe
