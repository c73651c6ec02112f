// Searches a log that is too large to be matched as a whole.
#pragma once

#include "log/blocks.hpp"
#include "log/events.hpp"

namespace rnncheck::log_reader {

/// Hashes of lines that were searched: programs print the same few lines for days. Bounded, so some are forgotten.
class SeenLines {
  public:
    bool contains(std::uint64_t hash) const {
        const std::size_t slot = hash >> (64 - slot_bits);
        return slots_[slot] == hash || slots_[slot ^ 1] == hash;
    }
    void add(std::uint64_t hash) {
        const std::size_t slot = hash >> (64 - slot_bits);
        slots_[slots_[slot] == 0 ? slot : slot ^ 1] = hash;
    }

  private:
    static constexpr unsigned slot_bits = 21;
    std::vector<std::uint64_t> slots_ = std::vector<std::uint64_t>(std::size_t{1} << slot_bits);
};

/// Matches lines together with the three that follow, and skips those that were searched before with the same lines
/// behind them. A match that extends over more than four lines may be missed.
class BlockSearch {
  public:
    BlockSearch(EventCollector& collector, std::string file) : collector_(collector), file_(std::move(file)) {}

    void take(const Block& block);

    /// In all blocks so far.
    std::int64_t lines() const { return line_ends_ + (ends_in_line_ ? 1 : 0); }

  private:
    void split(const Block& block);
    std::uint64_t hash_with_next(std::size_t line) const;
    void search(std::size_t first, std::size_t last);

    EventCollector& collector_;
    std::string file_;
    SeenLines seen_;
    std::vector<RawLine> lines_;         ///< of the block, one before and some after
    std::vector<std::uint64_t> hashes_;  ///< of each of the block's own lines with those that follow
    std::size_t first_ = 0, last_ = 0;   ///< the block's own lines
    std::int64_t line_ends_ = 0;
    bool ends_in_line_ = false;
};

}  // namespace rnncheck::log_reader
