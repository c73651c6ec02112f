// Regular files: pieces read by position (a library of 500 MB costs a few kilobytes) and what stat tells. May not know
// what is in them.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>

#include "base/files.hpp"

namespace rnncheck::elf {

/// What stat tells about a path inside the root; nothing when it does not exist.
std::optional<struct stat> status_of(const Root& root, std::string_view path);

class FilePieces {
  public:
    /// Opens a regular file and nothing else: a directory, pipe or device is never opened. Check error() before use.
    explicit FilePieces(const std::string& path);
    ~FilePieces();
    FilePieces(const FilePieces&) = delete;
    FilePieces& operator=(const FilePieces&) = delete;

    int error() const { return error_; }  ///< errno of the failed opening, EINVAL for what is no file
    const std::string& problem() const { return problem_; }  ///< the same in words, empty when it is open
    std::uint64_t size() const { return size_; }

    /// At most `length` bytes from `offset`: fewer at the end of the file, none after it or when reading fails.
    std::string at(std::uint64_t offset, std::size_t length) const;

  private:
    int file_ = -1;
    int error_ = 0;
    std::string problem_;
    std::uint64_t size_ = 0;
};

}  // namespace rnncheck::elf
