// The table of signatures made ready for matching.
#pragma once

#include <re2/filtered_re2.h>

#include <array>
#include <memory>
#include <optional>

#include "facts/log.hpp"
#include "log/normalize.hpp"
#include "matrix/matrix.hpp"

namespace rnncheck::log_reader {

/// How RE2 reads the patterns of the table.
re2::RE2::Options pattern_options();

/// One signature of a table.
class Signature {
  public:
    /// InputError when the kind is wrong.
    explicit Signature(const LogSignature& row);

    const std::string& id() const { return id_; }
    LogKind kind() const { return kind_; }

    /// How many things a line can tell.
    std::size_t groups() const { return static_cast<std::size_t>(regex().NumberOfCapturingGroups()); }

    struct Match {
        std::size_t begin = 0;
        std::size_t end = 0;
        std::vector<LogField> captures;
    };
    /// The first match in `text` at or after `from`.
    std::optional<Match> match(std::string_view text, std::size_t from) const;

    /// Whether some text that differs from `text` in digits only may match.
    bool may_match_with_other_digits(const NormalizedText& text) const;

  private:
    const re2::RE2& regex() const;

    std::string id_;
    LogKind kind_;
    std::string pattern_;                                         ///< as the table has it
    mutable std::unique_ptr<re2::RE2> regex_, any_digits_regex_;  ///< compiled when needed
};

/// The table. A text is first searched for the words that RE2 says its patterns require: letters are compared without
/// case, white space is ignored, and each digit counts as any digit.
class Signatures {
  public:
    /// InputError names the signature whose kind or pattern is wrong; where only the bounds of a repetition are, at the
    /// first match.
    explicit Signatures(const std::vector<LogSignature>& rows);

    std::size_t size() const { return all_.size(); }
    const Signature& operator[](std::size_t i) const { return all_[i]; }

    /// Which can match a text, or one that differs from it in digits only. `text` holds no white space.
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
    void list_words();
    void find_words(std::string_view text, std::vector<int>& found) const;

    std::vector<Signature> all_;
    re2::FilteredRE2 filter_{shortest_word};  ///< of patterns that accept '0' for a digit and no white space for any
    std::vector<int> always_;                 ///< words too short to be searched for
    std::vector<Word> words_;                 ///< in the order of their keys
    std::array<std::uint16_t, (std::size_t{1} << key_bits) + 1> first_{};  ///< where in words_ those of a key begin
};

}  // namespace rnncheck::log_reader
