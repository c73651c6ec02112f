// Bytes that every match of a pattern holds before or after a phrase.
#pragma once

#include <bitset>
#include <string>
#include <string_view>
#include <vector>

#include "log/neighbours.hpp"
#include "log/word_search.hpp"

namespace rnncheck::log_reader {

struct Companion {
    std::vector<std::string> any_of;
    std::size_t most_between = 0;     ///< visible bytes, no more stand between one of them and the core
    std::bitset<256> between = {};    ///< of these, theirs included
    bool tells_digits_apart = false;  ///< in the words or between

    bool operator==(const Companion&) const = default;

    /// How far from a core one may stand.
    struct Reach {
        std::size_t at = 0;
        bool is_known = true;  ///< nothing may have been done to the text, so that distances tell something
        Verdict when_missing = Verdict::refuted;  ///< of the core, if none is there
    };
    /// Behind a core that ends at `core_end`, not behind `end`.
    Reach reach_after(std::string_view text, std::size_t core_end, std::size_t end) const;
    /// Before a core, not before `begin`.
    Reach reach_before(std::string_view text, std::size_t begin, std::size_t core_begin) const;

    /// `by`, or less where other digits might be right.
    Verdict refuted(Verdict by) const { return tells_digits_apart ? Verdict::refuted : by; }

  private:
    template <bool forward>
    Reach reach(std::string_view text, std::size_t from, std::size_t to) const;
};

}  // namespace rnncheck::log_reader
