// The lines of a piece of a log, as hashes by which they are known again.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace rnncheck::log_reader {

struct Line {
    std::size_t begin = 0, end = 0;     ///< its line end included
    std::optional<std::uint64_t> hash;  ///< lines that differ only in digits have the same; none for cut and long lines
};

class Lines {
  public:
    /// Those of text[begin, end), which begins with a line or in one, and those around them.
    Lines(std::string_view text, std::size_t begin, std::size_t end);

    /// Those that are not only around.
    std::size_t first() const { return first_; }
    std::size_t last() const { return last_; }  ///< behind them
    const Line& operator[](std::size_t line) const { return lines_[line]; }

    /// Of the line and the one behind it; of the line and `lines_around` on both sides.
    std::optional<std::uint64_t> hash_with_next(std::size_t line) const;
    std::optional<std::uint64_t> hash_with_around(std::size_t line) const;

    /// The line itself; the line and those on both sides, as far as there are any.
    std::string_view text(std::size_t line) const { return text_of(line, line); }
    std::string_view text_around(std::size_t line) const;

  private:
    std::optional<std::uint64_t> hash_of(std::size_t from, std::size_t to) const;
    std::string_view text_of(std::size_t from, std::size_t to) const;

    std::string_view text_;
    std::vector<Line> lines_;
    std::size_t first_ = 0, last_ = 0;
};

}  // namespace rnncheck::log_reader
