#include "log/companion.hpp"

namespace rnncheck::log_reader {

template <bool forward>
Companion::Reach Companion::reach(std::string_view text, std::size_t from, std::size_t to) const {
    std::size_t visible = 0, line_ends = 0;
    const auto refuted_here = [&] { return refuted(forward ? refuted_after(line_ends) : refuted_before(line_ends)); };
    for (std::size_t at = from; at != to; forward ? ++at : --at) {
        const std::size_t place = forward ? at : at - 1;
        const char c = text[place];
        const bool is_visible = !is_blank(c);
        if (is_visible && visible == most_between) return {at, true, refuted_here()};
        if (c == '\x1B' || (forward ? may_be_undone(text, place) : may_end_undone(text, place)))
            return {at, false, refuted(Verdict::refuted_by_lines)};
        if (is_visible && !between[static_cast<unsigned char>(c)]) return {at, true, refuted_here()};
        visible += is_visible ? 1 : 0;
        line_ends += c == '\n' ? 1 : 0;
    }
    return {to, true, refuted(Verdict::refuted_by_lines)};
}

Companion::Reach Companion::reach_after(std::string_view text, std::size_t core_end, std::size_t end) const {
    return reach<true>(text, core_end, end);
}

Companion::Reach Companion::reach_before(std::string_view text, std::size_t begin, std::size_t core_begin) const {
    return reach<false>(text, core_begin, begin);
}

}  // namespace rnncheck::log_reader
