// Tells whether a line would hold a core if its digits were others.
#pragma once

#include <string_view>
#include <vector>

#include "log/phrase_table.hpp"
#include "log/scanner.hpp"

namespace rnncheck::log_reader {

/// The cores of a table that hold digits.
class DigitCores {
  public:
    explicit DigitCores(const PhraseTable& table);

    /// Whether one of them may stand in the line text[begin, end), whatever its digits are, next to what its phrases
    /// want.
    Verdict look(const PhraseTable& table, std::string_view text, std::size_t begin, std::size_t end) const;

  private:
    std::vector<std::size_t> numbers_;  ///< in the table
    Scanner scanner_;                   ///< for the cores with zeros for digits
};

}  // namespace rnncheck::log_reader
