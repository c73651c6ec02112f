// Finds where any of many literals stands, in one fast pass over the bytes.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rnncheck::log_reader {

/// Three bytes of each literal, the rarest, are its mark. A table of bits over all marks decides for nearly every byte
/// of a log with one look that no literal stands there.
class Scanner {
  public:
    /// Literals of at least three bytes.
    explicit Scanner(const std::vector<std::string>& literals);

    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    struct Hit {
        std::size_t place = none;    ///< where the literal begins
        std::size_t literal = none;  ///< its index
        std::size_t go_on = none;    ///< where to look for the next hit
    };
    /// The next hit at or after `from`, in the order of the marks; `place` may lie a little before `from`. Of literals
    /// that share a mark one is told.
    Hit find(std::string_view text, std::size_t from) const;

  private:
    static constexpr unsigned table_bits = 16;

    struct Mark {
        std::uint32_t key = 0;  ///< three bytes
        std::uint32_t literal = 0;
        std::uint32_t offset = 0;
    };

    Hit verify(std::string_view text, std::size_t at) const;

    std::vector<std::string> literals_;
    std::vector<Mark> marks_;  ///< sorted by key
    std::array<std::uint64_t, (std::size_t{1} << table_bits) / 64> bits_{};
};

}  // namespace rnncheck::log_reader
