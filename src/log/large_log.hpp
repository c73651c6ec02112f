// A log that is too large to be matched as a whole.
#pragma once

#include "log/blocks.hpp"
#include "log/collector.hpp"
#include "log/digit_cores.hpp"
#include "log/line_memory.hpp"
#include "log/phrase_table.hpp"
#include "log/scanner.hpp"

namespace rnncheck::log_reader {

/// Searches blocks for the cores of all phrases. Where one stands and what is around it does not contradict, the lines
/// around are matched against the one signature that the phrase belongs to. Cores that this log is full of are
/// exchanged for others.
class LargeLog {
  public:
    LargeLog(Collector& collector, const PhraseTable& table, std::string name);

    void take(const Block& block);

    std::int64_t lines() const { return line_ends_ + (ends_in_line_ ? 1 : 0); }

  private:
    /// Lines of block_.text to be matched together; matches begin before `own_end`.
    struct Region {
        std::size_t begin = 0, own_end = 0, end = 0;
    };
    /// One signature matched against some lines. Programs repeat themselves.
    struct Trial {
        std::size_t signature = 0;
        std::size_t own_lines = 0;  ///< in which a match may begin
        bool at_log_begin = false, at_line_begin = false;
        std::string raw;

        bool operator==(const Trial&) const = default;
    };
    struct Tried {
        Trial trial;
        std::vector<LogEvent> events;
    };

    void search(std::size_t begin, std::size_t end);
    void search_line_by_line(std::size_t begin, std::size_t end);
    void look_at(std::size_t place, std::size_t core);
    /// The first lines of a log, which are matched like those of a small one: nothing stands before them.
    bool is_at_beginning(std::size_t place) const;
    Verdict judge(const PhrasesOfCore::Of& of, std::size_t place);
    Verdict look_for_companion_after(const PhrasesOfCore::Of& of, std::size_t place);
    Verdict look_for_companion_before(const PhrasesOfCore::Of& of, std::size_t place);
    Region region_at(std::size_t signature, std::size_t place);
    const Region& lines_at(std::size_t place);
    Verdict match(std::size_t signature, std::size_t place);
    const Passage& passage(std::size_t begin, std::size_t end, std::int64_t first_line);
    std::int64_t line_at(std::size_t place);
    void forget_what_is_full();
    void search_for_what_is_rarer();

    Collector& collector_;
    std::string name_;
    PhraseTable wanted_;  ///< those of which more can be learnt
    Scanner scanner_;
    std::vector<std::uint32_t> met_;  ///< how often each core was, since the table was made
    Rarity rarity_;
    LineMemory memory_;
    DigitCores digit_cores_;
    /// The least that refutes what was met in the line that is searched; `possible` where lines are not learnt, so that
    /// nobody looks for more than that a place is refuted.
    Verdict line_ = Verdict::possible;
    bool look_back_ = false;          ///< what stands before the next block was not searched with this table
    std::vector<std::int64_t> done_;  ///< by signature: up to there in the log all matches that begin are known
    Region lines_;                    ///< those that lines_at() told last
    std::size_t lines_of_ = 0;        ///< for this place
    std::vector<SlidingSearch> before_, after_;  ///< by number of wanted_.words, in block_.text
    std::vector<Tried> tried_;                   ///< lately, at its hash
    Block block_;
    std::int64_t block_place_ = 0;  ///< of block_.text in the log
    Passage passage_;               ///< of block_.text from passage_begin_ to passage_end_
    std::size_t passage_begin_ = 0, passage_end_ = 0;
    std::size_t counted_ = 0;  ///< up to there in block_.text line ends are in line_ends_
    std::int64_t line_ends_ = 0;
    bool ends_in_line_ = false;
};

}  // namespace rnncheck::log_reader
