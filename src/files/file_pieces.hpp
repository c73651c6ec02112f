// What the readers of libraries (ELF, PE) share: regular files read in pieces, what
// a file is that is no library, and the texts in it. Written for hostile files.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.hpp"
#include "facts/libraries.hpp"

namespace rnncheck {

/// A file read in pieces by position: a library of 500 MB costs a few kilobytes.
class FilePieces {
  public:
    /// Opens a regular file and nothing else: a directory, pipe or device is
    /// never opened. Check error() before use.
    explicit FilePieces(const std::string& path);

    /// errno of the failed opening, EINVAL for what is no file
    int error() const {
        return error_;
    }
    std::uint64_t size() const {
        return size_;
    }

    /// At most `length` bytes from `offset`: fewer at the end of the file, none
    /// after it or when reading fails.
    std::string at(std::uint64_t offset, std::size_t length) const;

  private:
    Descriptor file_;
    int error_ = 0;
    std::uint64_t size_ = 0;
};

/// The whole items in the bytes.
template <class T>
std::vector<T> as_array(std::string_view bytes) {
    std::vector<T> items(bytes.size() / sizeof(T));
    if (!items.empty())
        std::memcpy(items.data(), bytes.data(), items.size() * sizeof(T));
    return items;
}

/// The item at the start of the bytes; nothing when they are too few.
template <class T>
std::optional<T> first_as(std::string_view bytes) {
    const auto items = as_array<T>(bytes.substr(0, sizeof(T)));
    if (items.empty())
        return std::nullopt;
    return items.front();
}

/// Why something is no usable library: the words read after its path,
/// "is a directory, not a file".
struct FileFault {
    FileProblem problem = FileProblem::unreadable;
    std::string detail;
};

/// Directories, pipes, sockets and devices, which no reader opens; nothing for
/// a regular file or an absent one.
std::optional<FileFault> no_regular_file(const std::string& path);

/// Why FilePieces could not open a file: its error() in words.
std::string why_not_opened(int error);

/// What the first bytes of a file show that are not those of `kind` ("an ELF
/// file"): "is empty", "is a text file that begins with '<html>'".
std::string describe_non_elf(std::string_view start, std::string_view kind);

/// "is cut off: it ends after 100 bytes, its contents reach to byte 200".
std::string cut_off(std::uint64_t size, std::uint64_t end);

/// A part of a file.
struct Extent {
    std::uint64_t offset = 0, size = 0;
};

/// Which texts of a file are searched for: those with a NUL at both ends, of at most
/// 128 bytes, that contain `marker`. A marker may begin with the NUL before the text.
struct TextSearch {
    std::string_view marker;
    std::function<void(std::string_view text)> found;
};

/// In the order of the extents, from the smallest on, 64 MiB at most.
void search_texts(const FilePieces& pieces, std::vector<Extent> extents, const TextSearch& search);

}  // namespace rnncheck
