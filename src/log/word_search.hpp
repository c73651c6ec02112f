// Finds whether any of a few words stands in a text.
#pragma once

#include <re2/re2.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rnncheck::log_reader {

/// The words may be broken by line ends, quote marks and colours, and spelled as undo.hpp knows.
class WordSearch {
  public:
    explicit WordSearch(std::vector<std::string> words) : words_(std::move(words)) {}

    const std::vector<std::string>& words() const { return words_; }

    struct Found {
        std::size_t begin = 0, end = 0;
    };
    /// The first in text[begin, end).
    std::optional<Found> find(std::string_view text, std::size_t begin, std::size_t end) const;

  private:
    std::vector<std::string> words_;
    mutable std::unique_ptr<re2::RE2> any_;  ///< compiled when it is first needed
};

/// Asks for places of one text that come mostly one after the other, and looks at each byte about once.
class SlidingSearch {
  public:
    /// The first in text[begin, end).
    std::optional<WordSearch::Found> find(const WordSearch& words, std::string_view text, std::size_t begin,
                                          std::size_t end);

  private:
    std::size_t from_ = 0, to_ = 0;  ///< between them stands none, or `found_` is the first
    std::optional<WordSearch::Found> found_;
};

}  // namespace rnncheck::log_reader
