// Bytes that every match of a pattern holds before or after a phrase.
#pragma once

#include <bitset>
#include <string>
#include <string_view>
#include <vector>

#include "log/word_search.hpp"

namespace rnncheck::log_reader {

struct Companion {
    std::vector<std::string> any_of;
    std::size_t most_between = 0;   ///< visible bytes, no more stand between one of them and the core
    std::bitset<256> between = {};  ///< of these, theirs included

    bool operator==(const Companion&) const = default;

    /// Whether one may be the pattern's in `text` behind the core, which ends at `core_end`; `first` of those there.
    bool may_follow(std::string_view text, std::size_t core_end, const WordSearch::Found& first) const;
    /// The same for what is before the core and not before `least`; `words` searches for `any_of`.
    bool may_precede(std::string_view text, std::size_t least, std::size_t core_begin, const WordSearch& words) const;
};

}  // namespace rnncheck::log_reader
