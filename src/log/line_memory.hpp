// Remembers lines in which there is nothing to look for.
#pragma once

#include "log/lines.hpp"
#include "log/neighbours.hpp"

namespace rnncheck::log_reader {

/// Programs print the same few lines for days, and knowing a line again is quicker than searching it.
class LineMemory {
  public:
    bool knows(const Lines& lines, std::size_t line);
    /// Nothing is to be found in the line: `why` tells wherever it stands or where it stands, whatever the digits are.
    void learn(const Lines& lines, std::size_t line, Verdict why);
    void forget_all();

    /// Whether knowing lines again spares more than it costs, as far as the lines asked for lately tell. To be asked
    /// once a block.
    bool pays();

  private:
    static constexpr unsigned slot_bits = 16;
    static constexpr unsigned shortest_rest = 16, longest_rest = 256;  ///< blocks

    std::uint64_t& slot(std::uint64_t hash) { return slots_[hash >> (64 - slot_bits)]; }
    bool holds(std::optional<std::uint64_t> hash) { return hash && slot(*hash) == *hash; }

    std::vector<std::uint64_t> slots_ = std::vector<std::uint64_t>(std::size_t{1} << slot_bits);  ///< hashes
    std::size_t asked_ = 0, known_ = 0;                                                           ///< bytes
    std::size_t lines_ = 0;                                                                       ///< asked for
    unsigned rest_left_ = 0, next_rest_ = shortest_rest;
};

}  // namespace rnncheck::log_reader
