#include "log/neighbours.hpp"

#include "log/undo.hpp"

namespace rnncheck::log_reader {

namespace {

bool is_letter(unsigned char c) {
    return static_cast<unsigned char>((c | 0x20) - 'a') < 26;
}

const std::bitset<256>& digits() {
    static const std::bitset<256> all = [] {
        std::bitset<256> set;
        for (unsigned char c = '0'; c <= '9'; ++c) set.set(c);
        return set;
    }();
    return all;
}

template <class MayBeUndone>
bool look(std::string_view text, std::size_t at, std::size_t go, const NearestSets& sets, Neighbours& seen,
          MayBeUndone&& may_be_undone_at) {
    constexpr std::size_t most_looked_at = 16;
    for (std::size_t looked_at = 0; at < text.size() && looked_at < most_looked_at; ++looked_at, at += go) {
        const auto c = static_cast<unsigned char>(text[at]);
        if (is_blank(text[at])) {
            if (c == '\x1B') return true;
            if (c == '\n' && ++seen.line_ends > lines_around) return true;
            continue;
        }
        if (may_be_undone_at(at)) return true;
        if (!sets[seen.count][c]) return false;
        seen.bytes[seen.count++] = c;
        if (seen.count == Neighbours::most) return true;
    }
    return true;
}

}  // namespace

bool tells_digits_apart(const std::bitset<256>& bytes) {
    const std::size_t count = (bytes & digits()).count();
    return count > 0 && count < digits().count();
}

bool may_be_undone(std::string_view text, std::size_t place) {
    constexpr std::size_t longest = 256;
    const auto c = static_cast<unsigned char>(text[place]);
    if (c == '>') return true;
    if (c != '[' && c != '<' && c != '^' && c != '&' && c != '\\' && c < 0xC2) return false;
    const Undone undone = undo_at(text.substr(place, longest), true);
    return undone.length > 1 || text.size() - place < longest;
}

bool may_end_undone(std::string_view text, std::size_t place) {
    const auto c = static_cast<unsigned char>(text[place]);
    const auto earlier = [&](std::size_t count) { return place >= count ? text[place - count] : '\\'; };
    const bool ends_code_point = earlier(5) == '\\' && (place < 5 || earlier(4) == 'u');
    if (c == ';' || c == '>' || c == '\\' || earlier(1) == '\\' || ends_code_point) return true;  // &lt; <br> \n \u003c
    if (c >= 0x80)
        return place < 2 || undo_at(text.substr(place - 2), false).length == 3 ||
               undo_at(text.substr(place - 1), false).length == 2;
    if (!is_letter(c)) return false;
    return earlier(1) == '[' || earlier(1) == ';' || (earlier(1) >= '0' && earlier(1) <= '9');  // colour
}

NearestSets nearest_sets(const Steps& steps) {
    NearestSets sets;
    std::vector<bool> here(steps.size() + 1), next;
    here[0] = true;
    for (std::bitset<256>& bytes : sets) {
        next.assign(steps.size() + 1, false);
        for (std::size_t i = 0; i < steps.size(); ++i) {
            if (!here[i]) continue;
            const bool is_many = steps[i].kind == Step::Kind::many;
            if (steps[i].kind == Step::Kind::line_start) here.back() = true;
            if (steps[i].kind == Step::Kind::boundary) {
                here[i + 1] = true;
                continue;
            }
            bytes |= steps[i].bytes;
            if (is_many || steps[i].bytes[' ']) here[i + 1] = true;
            next[is_many ? i : i + 1] = true;
        }
        if ((bytes & digits()).any()) bytes |= digits();
        if (here.back()) {
            bytes.set();
            next.back() = true;
        }
        std::swap(here, next);
    }
    return sets;
}

Verdict look_after(std::string_view text, std::size_t core_end, const NearestSets& sets, Neighbours& seen) {
    const bool is_possible =
        look(text, core_end, 1, sets, seen, [&](std::size_t at) { return may_be_undone(text, at); });
    return is_possible ? Verdict::possible : refuted_after(seen.line_ends);
}

Verdict look_before(std::string_view text, std::size_t core_begin, const NearestSets& sets, Neighbours& seen) {
    const bool is_possible = look(text, core_begin - 1, static_cast<std::size_t>(-1), sets, seen,
                                  [&](std::size_t at) { return may_end_undone(text, at); });
    return is_possible ? Verdict::possible : refuted_before(seen.line_ends);
}

bool may_be(const NearestSets& sets, const Neighbours& neighbours) {
    for (std::size_t i = 0; i < neighbours.count; ++i)
        if (!sets[i][neighbours.bytes[i]]) return false;
    return true;
}

}  // namespace rnncheck::log_reader
