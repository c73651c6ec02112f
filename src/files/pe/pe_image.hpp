// The headers of a PE file and its contents by address, for the readers of its tables.
#pragma once

#include <array>

#include "files/pe/pe_file.hpp"

namespace rnncheck::pe {

/// IMAGE_FILE_HEADER of winnt.h.
struct FileHeader {
    std::uint16_t machine, section_count;
    std::uint32_t time, symbol_table, symbol_count;
    std::uint16_t optional_size, characteristics;
};
static_assert(sizeof(FileHeader) == 20);

/// IMAGE_SECTION_HEADER of winnt.h.
struct SectionHeader {
    std::array<char, 8> name;
    std::uint32_t memory_size, address, file_size, offset, relocations, lines;
    std::uint16_t relocation_count, line_count;
    std::uint32_t characteristics;
};
static_assert(sizeof(SectionHeader) == 40);

/// Where a table lies: an address relative to the image's own.
struct DataDirectory {
    std::uint32_t address = 0, size = 0;
};

/// The tables that are read here, by their number among the data directories.
enum class Table { exports = 0, imports = 1, resources = 2, delayed_imports = 13 };

/// A file that was opened and whose headers were read; contents are
/// read when they are requested.
class PeImage {
  public:
    /// Reads the headers. Check problem() before use.
    PeImage(const Root& root, std::string_view path);

    const std::optional<FileFault>& problem() const {
        return problem_;
    }
    const FileHeader& header() const {
        return header_;
    }
    const FilePieces& pieces() const {
        return *pieces_;
    }
    const std::vector<SectionHeader>& sections() const {
        return sections_;
    }
    bool is_64_bit() const {
        return is_64_bit_;
    }

    /// Nothing for a table that the file does not have.
    std::optional<DataDirectory> table(Table which) const;

    /// What the file has for an address, at most `length` bytes; empty outside of it.
    std::string at(std::uint64_t address, std::size_t length) const;

    template <class T>
    std::optional<T> one_at(std::uint64_t address) const {
        return first_as<T>(at(address, sizeof(T)));
    }

    /// A text up to its NUL; nothing when it has none within 8192 bytes, or is
    /// outside the file. Names beside each other cost one read.
    std::optional<std::string> text_at(std::uint64_t address) const;

  private:
    void open_file(const Root& root, std::string_view path);
    void read_headers();
    void read_optional_header(std::uint64_t at);
    void check_extent();
    void fail(FileProblem problem, std::string detail);

    std::optional<FilePieces> pieces_;
    std::optional<FileFault> problem_;
    FileHeader header_{};
    bool is_64_bit_ = false;
    std::uint32_t headers_size_ = 0;
    std::vector<SectionHeader> sections_;
    std::vector<DataDirectory> tables_;
    mutable std::uint64_t window_address_ = 0;
    mutable std::string window_;
};

/// Initialized data that is in memory and is not executed; the texts of
/// a program may be written to.
std::vector<Extent> data_of(const PeImage& image);

/// The addresses in a table that ends with 0, each 8 bytes long in a 64-bit
/// file, else 4. Nothing without an end.
std::optional<std::vector<std::uint64_t>> addresses_at(const PeImage& image, std::uint64_t address);

}  // namespace rnncheck::pe
