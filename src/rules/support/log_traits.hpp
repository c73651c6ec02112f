// What a log and what a person told amount to, as words that the table log_evidence uses. Pure.
#pragma once

#include <map>

#include "compat/given.hpp"

namespace rnncheck::rules {

/// The words that hold: ids of signatures that were seen, and traits with what they rest on, for the evidence.
struct LogWords {
    std::map<std::string, std::string, std::less<>> words;
    ParsedHints said;

    bool has(std::string_view word) const { return words.find(word) != words.end(); }
    /// A word of log_evidence: a plain one, or a comparison of a version that is known; false for "!word" that holds.
    bool holds(std::string_view word) const;
};

/// Needs facts.log.
LogWords log_words(const Facts& facts, const Matrix& matrix);

/// Every trait there is: a word of log_evidence that is none of these, no signature and no comparison is a mistake.
std::vector<std::string_view> all_traits();

}  // namespace rnncheck::rules
