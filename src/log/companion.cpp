#include "log/companion.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "log/neighbours.hpp"
#include "log/phrase.hpp"

namespace rnncheck::log_reader {

namespace {

/// Whether `text` holds `bytes`, which a line end may have broken.
bool holds(std::string_view text, std::string_view bytes) {
    if (contains(text, bytes)) return true;
    for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1)) {
        std::size_t end = at, begin = at + 1;
        while (end > 0 && is_blank(text[end - 1])) --end;
        while (begin < text.size() && is_blank(text[begin])) ++begin;
        std::array<char, 2 * Phrase::longest_core> joined{};
        const std::size_t before = std::min(end, Phrase::longest_core);
        text.copy(joined.data(), before, end - before);
        const std::size_t after = text.copy(joined.data() + before, Phrase::longest_core, begin);
        if (contains({joined.data(), before + after}, bytes)) return true;
    }
    return false;
}

}  // namespace

/// Where something may have been done to the text, distances tell nothing.
bool Companion::may_follow(std::string_view text) const {
    if (!holds(text, bytes)) return false;
    std::size_t at = 0;
    for (std::size_t visible = 0; at < text.size() && visible < most_between + bytes.size(); ++at) {
        if (text[at] == '\x1B' || may_be_undone(text, at)) return true;
        visible += is_blank(text[at]) ? 0 : 1;
    }
    return holds(text.substr(0, at), bytes);
}

bool Companion::may_precede(std::string_view text) const {
    if (!holds(text, bytes)) return false;
    std::size_t at = text.size();
    for (std::size_t visible = 0; at > 0 && visible < most_between + bytes.size(); --at) {
        if (text[at - 1] == '\x1B' || may_end_undone(text, at - 1)) return true;
        visible += is_blank(text[at - 1]) ? 0 : 1;
    }
    return holds(text.substr(at), bytes);
}

}  // namespace rnncheck::log_reader
