#include "log/companion.hpp"

#include "log/neighbours.hpp"

namespace rnncheck::log_reader {

/// Where something may have been done to the text, distances tell nothing. Others stand farther away than the first.
bool Companion::may_follow(std::string_view text, std::size_t core_end, const WordSearch::Found& first) const {
    std::size_t visible = 0;
    for (std::size_t at = core_end; at < first.end; ++at) {
        if (text[at] == '\x1B' || may_be_undone(text, at)) return true;
        if (is_blank(text[at])) continue;
        if (!between[static_cast<unsigned char>(text[at])] || ++visible > most_between) return false;
    }
    return true;
}

bool Companion::may_precede(std::string_view text, std::size_t least, std::size_t core_begin,
                            const WordSearch& words) const {
    std::size_t at = core_begin;
    for (std::size_t visible = 0; at > least && visible < most_between; --at) {
        if (text[at - 1] == '\x1B' || may_end_undone(text, at - 1)) return true;
        if (is_blank(text[at - 1])) continue;
        if (!between[static_cast<unsigned char>(text[at - 1])]) break;
        ++visible;
    }
    return words.find(text, at, core_begin).has_value();
}

}  // namespace rnncheck::log_reader
