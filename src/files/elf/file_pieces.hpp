// Pieces of one regular file, read by position: a library of 500 MB costs a few kilobytes. May not know what is in it.
#pragma once

#include <cstdint>
#include <string>

namespace rnncheck::elf {

class FilePieces {
  public:
    /// Opens a regular file and nothing else: a folder, pipe or device is never opened. Check error() before use.
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
