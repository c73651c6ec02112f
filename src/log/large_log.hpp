// A log that is too large to be matched as a whole.
#pragma once

#include "log/blocks.hpp"
#include "log/collector.hpp"
#include "log/phrase_table.hpp"
#include "log/scanner.hpp"

namespace rnncheck::log_reader {

/// Searches blocks for the cores of all phrases. Where one stands and what is around it does not contradict, the lines
/// around are matched against the one signature that the phrase belongs to.
class LargeLog {
  public:
    LargeLog(Collector& collector, const PhraseTable& table, std::string name);

    void take(const Block& block);

    std::int64_t lines() const { return line_ends_ + (ends_in_line_ ? 1 : 0); }

  private:
    void look_at(std::size_t place, std::size_t core);
    /// The first lines of a log, which are matched like those of a small one: nothing stands before them.
    bool is_at_beginning(std::size_t place) const;
    bool is_worth_matching(const PhrasesOfCore::Of& of, std::size_t place) const;
    void match(std::size_t signature, std::size_t place);
    const Passage& passage(std::size_t begin, std::size_t end, std::int64_t first_line);
    std::int64_t line_at(std::size_t place);
    void forget_what_is_full();

    Collector& collector_;
    std::string name_;
    std::vector<PhrasesOfCore> wanted_;  ///< by core; those of which more can be learnt
    Scanner scanner_;
    std::vector<std::int64_t> done_;  ///< by signature: up to there in the log all matches that begin are known
    Block block_;
    std::int64_t block_place_ = 0;  ///< of block_.text in the log
    Passage passage_;               ///< of block_.text from passage_begin_ to passage_end_
    std::size_t passage_begin_ = 0, passage_end_ = 0;
    std::size_t counted_ = 0;  ///< up to there in block_.text line ends are in line_ends_
    std::int64_t line_ends_ = 0;
    bool ends_in_line_ = false;
};

}  // namespace rnncheck::log_reader
