// Remembers lines in which there is nothing to look for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "log/neighbours.hpp"

namespace rnncheck::log_reader {

/// A line of a block.
struct Line {
    std::size_t begin = 0, end = 0;  ///< its line end included
    /// Hashes; what differs only in digits has the same.
    std::optional<std::uint64_t> itself, with_next, with_around;
    std::size_t begin_around = 0, end_around = 0;
};

/// Those that begin in text[begin, end), where a line begins or one goes on.
std::vector<Line> lines_in(std::string_view text, std::size_t begin, std::size_t end);

/// Programs print the same few lines for days, and knowing a line again is quicker than searching it.
class LineMemory {
  public:
    bool knows(const Line& line);
    /// Nothing is to be found in this line, or nothing where it stands, whatever the digits are. It is in `text`.
    void learn(const Line& line, Verdict why, std::string_view text);
    void forget_all();

    /// Whether knowing lines again spares more than it costs, as far as the lines asked for lately tell.
    bool pays();

  private:
    static constexpr unsigned slot_bits = 16;

    std::uint64_t& slot(std::uint64_t hash) { return slots_[hash >> (64 - slot_bits)]; }
    bool holds(std::optional<std::uint64_t> hash) { return hash && slot(*hash) == *hash; }

    std::vector<std::uint64_t> slots_ = std::vector<std::uint64_t>(std::size_t{1} << slot_bits);  ///< hashes of lines
    std::size_t asked_ = 0, known_ = 0;                                                           ///< bytes
    unsigned rest_left_ = 0, next_rest_ = 16;                                                     ///< blocks
};

}  // namespace rnncheck::log_reader
