// Tells which of many patterns can match a text at all, by the words that RE2 says they require.
#pragma once

#include <re2/filtered_re2.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rnncheck::log_reader {

/// How RE2 reads the patterns of the table.
re2::RE2::Options pattern_options();

/// Letters are compared without case and white space is ignored. Each digit of a text stands for any digit.
class Prefilter {
  public:
    /// RE2's complaint about a pattern that it rejects; "" for others. Patterns are numbered from 0. Where a pattern
    /// wants a digit, it must accept '0'; where it wants white space, it must accept none.
    std::string add(const std::string& pattern);

    /// To be called after the last add().
    void compile();

    /// The numbers of the patterns that may match `text`, which holds no white space, or a text that differs from it
    /// in digits only.
    std::vector<int> candidates(std::string_view text) const;

  private:
    static constexpr int shortest_word = 3;
    static constexpr unsigned key_bits = 14;

    struct Word {
        std::uint64_t head = 0, mask = 0;  ///< its first eight bytes, or fewer
        std::string text;
        int number = 0;  ///< as RE2 counts them
    };

    static Word word_of(std::string text, int number);
    static std::size_t key_at(const char* text);
    void find_words(std::string_view text, std::vector<int>& found) const;

    re2::FilteredRE2 filter_{shortest_word};
    std::vector<int> always_;                                              ///< words too short to be searched for
    std::vector<Word> words_;                                              ///< in the order of their keys
    std::array<std::uint16_t, (std::size_t{1} << key_bits) + 1> first_{};  ///< where in words_ those of a key begin
};

}  // namespace rnncheck::log_reader
