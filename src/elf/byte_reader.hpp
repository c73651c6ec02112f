// Numbers and strings at offsets of a file, each access checked against the file's end.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

namespace rnncheck::elf {

/// An open file, read piece by piece.
class ByteReader {
  public:
    /// Regular files only; never blocks.
    static std::optional<ByteReader> open(const std::string& path);
    ByteReader(ByteReader&& other) noexcept : file_(other.file_), size_(other.size_) { other.file_ = -1; }
    ByteReader(const ByteReader&) = delete;
    ByteReader& operator=(const ByteReader&) = delete;
    ByteReader& operator=(ByteReader&&) = delete;
    ~ByteReader();

    std::uint64_t size() const { return size_; }

    /// Exactly `length` bytes from `offset`; nothing when they are not all there or cannot be read.
    std::optional<std::string> bytes(std::uint64_t offset, std::uint64_t length) const;

  private:
    ByteReader(int file, std::uint64_t size) : file_(file), size_(size) {}
    int file_;
    std::uint64_t size_;
};

/// An integer of type T in `bytes` at `offset`, which must lie inside; `swapped` for the other byte order.
template <class T>
T number_at(const std::string& bytes, std::size_t offset, bool swapped = false) {
    unsigned char raw[sizeof(T)];
    std::memcpy(raw, bytes.data() + offset, sizeof(T));
    T value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i) {
        const std::size_t place = swapped ? sizeof(T) - 1 - i : i;
        value = static_cast<T>(value | static_cast<T>(static_cast<T>(raw[place]) << (8 * i)));
    }
    return value;
}

}  // namespace rnncheck::elf
