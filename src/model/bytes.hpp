// A file's bytes, mapped into memory, and numbers in them. All that is read of
// a model is checked against its end here.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/program.hpp"

namespace rnncheck::model {

/// A regular file, mapped for reading; only the pages that are looked at are read.
class MappedFile {
  public:
    /// InputError where it is no regular file or cannot be read.
    explicit MappedFile(const std::string& path);
    ~MappedFile();
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;
    std::string_view bytes() const {
        return bytes_;
    }

  private:
    std::string_view bytes_;
};

/// The file is not what its format requires: the message states what is wrong with it.
[[noreturn]] inline void damaged(const std::string& what) {
    throw InputError("the file is damaged or not complete: " + what);
}

/// `count` bytes from `at` on; InputError where they end before.
inline std::string_view slice(std::string_view bytes, std::uint64_t at, std::uint64_t count) {
    if (at > bytes.size() || count > bytes.size() - at)
        damaged("it ends before byte " + std::to_string(at));
    return bytes.substr(at, count);
}

/// An unsigned number of `count` bytes, at most 8, the lowest first.
inline std::uint64_t little(std::string_view bytes, std::uint64_t at, std::uint64_t count) {
    std::uint64_t number = 0;
    const std::string_view digits = slice(bytes, at, count);
    for (std::size_t i = digits.size(); i-- > 0;)
        number = number << 8 | static_cast<unsigned char>(digits[i]);
    return number;
}

/// Reads from the beginning to the end.
class Cursor {
  public:
    explicit Cursor(std::string_view bytes, std::uint64_t at = 0) : bytes_(bytes), at_(at) {
    }
    bool at_end() const {
        return at_ >= bytes_.size();
    }
    std::uint64_t place() const {
        return at_;
    }
    /// Skips so many bytes; InputError where they end before.
    bool skip(std::uint64_t count) {
        return text(count).size() == count;
    }
    std::uint64_t number(std::uint64_t count) {
        const std::uint64_t value = little(bytes_, at_, count);
        at_ += count;
        return value;
    }
    std::string_view text(std::uint64_t count) {
        const std::string_view part = slice(bytes_, at_, count);
        at_ += count;
        return part;
    }
    /// To the next `end`, which is skipped.
    std::string_view text_to(char end) {
        const auto found = bytes_.find(end, at_);
        if (found == std::string_view::npos)
            damaged("a text has no end");
        const std::string_view part = bytes_.substr(at_, found - at_);
        at_ = found + 1;
        return part;
    }
    /// Protocol buffers' numbers of 7 bits a byte.
    std::uint64_t varint();

  private:
    std::string_view bytes_;
    std::uint64_t at_;
};

}  // namespace rnncheck::model
