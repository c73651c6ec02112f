#include "log/scanner.hpp"

#include <algorithm>
#include <cstring>

#include "base/errors.hpp"
#include "log/rarity.hpp"

namespace rnncheck::log_reader {

namespace {

constexpr std::size_t window_size = 4;

/// Where the rarer pair of windows begins; -1 for literals of three and four bytes may be one before their beginning.
std::int32_t rarest_pair(std::string_view literal) {
    if (literal.size() <= window_size) return -1;
    const Rarity& rarity = rarity_in_any_log();
    std::size_t best = 0;
    double rarest = -1;
    for (std::size_t at = 0; at + window_size < literal.size(); ++at) {
        const double rare = rarity.of(literal.substr(at, window_size)) + rarity.of(literal.substr(at + 1, window_size));
        if (rare <= rarest) continue;
        rarest = rare;
        best = at;
    }
    return static_cast<std::int32_t>(best);
}

}  // namespace

Scanner::Scanner(std::vector<std::string> literals) : literals_(std::move(literals)), forgotten_(literals_.size()) {
    for (const std::string& literal : literals_)
        if (literal.size() < shortest || literal.size() > longest)
            throw InputError("cannot search for '" + literal + "'");
    build();
}

void Scanner::forget(const std::vector<std::size_t>& literals) {
    for (const std::size_t literal : literals) forgotten_[literal] = true;
    build();
}

void Scanner::build() {
    marks_.clear();
    heads_.fill(0);
    words_.fill(0);
    for (std::uint32_t i = 0; i < literals_.size(); ++i) {
        if (forgotten_[i]) continue;
        const std::int32_t first = rarest_pair(literals_[i]);
        for (const std::int32_t offset : {first, first + 1})
            for (const Mark& mark : marks_of(i, offset)) marks_.push_back(mark);
    }
    std::stable_sort(marks_.begin(), marks_.end(),
                     [](const Mark& a, const Mark& b) { return head_of(a.window) < head_of(b.window); });
    for (const Mark& mark : marks_) {
        ++heads_[head_of(mark.window) + 1];
        words_[hash(mark.window) >> (32 - word_bits)] |= bits_of(hash(mark.window));
    }
    for (std::size_t head = 1; head < heads_.size(); ++head) heads_[head] += heads_[head - 1];
}

/// One for each window that the literal allows, where one byte of the window is not the literal's.
std::vector<Scanner::Mark> Scanner::marks_of(std::uint32_t index, std::int32_t offset) const {
    const std::string& literal = literals_[index];
    std::array<char, window_size> window{};
    std::size_t open = window_size;
    for (std::size_t i = 0; i < window_size; ++i) {
        const std::size_t at = i + static_cast<std::size_t>(offset);
        if (at < literal.size())
            window[i] = literal[at];
        else
            open = i;
    }
    Mark mark{0, index, bytes_at(literal, 0), bytes_at(std::string(literal.size(), '\xFF'), 0), offset};
    std::vector<Mark> marks;
    for (unsigned c = 0; c <= (open < window_size ? told_bits : 0); ++c) {
        if (open < window_size) window[open] = static_cast<char>(c);
        mark.window = whole_window(window.data());
        marks.push_back(mark);
    }
    return marks;
}

/// Where after `begin`, which is even, windows may be marks, in the next `at_once` bytes. Without a branch for each
/// window, which processors would foretell wrongly where words of messages are frequent.
std::span<const std::uint32_t> Scanner::find_candidates(std::string_view text, std::size_t begin,
                                                        Candidates& found) const {
    text = text.substr(begin);
    const std::size_t end = std::min(text.size(), at_once);
    const std::size_t whole = std::min(end, text.size() - std::min(text.size(), window_size - 1));
    std::size_t count = 0;
    const auto note = [&](std::size_t at, std::uint32_t window) {
        found[count] = static_cast<std::uint32_t>(at);
        count += may_be_mark(window) ? 1 : 0;
    };
    std::size_t at = 0;
    for (; at < whole; at += stride) note(at, whole_window(text.data() + at));
    for (; at < end; at += stride) note(at, window_at(text, at));
    return {found.data(), count};
}

}  // namespace rnncheck::log_reader
