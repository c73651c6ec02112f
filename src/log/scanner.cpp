#include "log/scanner.hpp"

#include <algorithm>
#include <cstring>

#include "log/phrase.hpp"

namespace rnncheck::log_reader {

namespace {

constexpr std::size_t window_size = 4;

/// Where the rarer pair of windows begins; -1 for literals of three and four bytes may be one before their beginning.
std::int32_t rarest_pair(std::string_view literal) {
    if (literal.size() <= window_size) return -1;
    std::size_t best = 0;
    double rarest = -1;
    for (std::size_t at = 0; at + window_size < literal.size(); ++at) {
        const double least =
            std::min(rarity(literal.substr(at, window_size)), rarity(literal.substr(at + 1, window_size)));
        if (least <= rarest) continue;
        rarest = least;
        best = at;
    }
    return static_cast<std::int32_t>(best);
}

}  // namespace

Scanner::Scanner(std::vector<std::string> literals) : literals_(std::move(literals)), forgotten_(literals_.size()) {
    build();
}

void Scanner::forget(std::size_t literal) {
    if (forgotten_[literal]) return;
    forgotten_[literal] = true;
    build();
}

void Scanner::build() {
    marks_.clear();
    heads_.fill(none);
    bits_.fill(0);
    for (std::uint32_t i = 0; i < literals_.size(); ++i) {
        if (forgotten_[i]) continue;
        const std::int32_t first = rarest_pair(literals_[i]);
        add_windows(i, first);
        add_windows(i, first + 1);
    }
}

/// All windows that the literal allows, where one byte of the window is not the literal's.
void Scanner::add_windows(std::uint32_t literal, std::int32_t offset) {
    const std::string& bytes = literals_[literal];
    std::array<char, window_size> window{};
    std::size_t open = window_size;
    for (std::size_t i = 0; i < window_size; ++i) {
        const std::size_t at = i + static_cast<std::size_t>(offset);
        if (at < bytes.size())
            window[i] = bytes[at];
        else
            open = i;
    }
    for (int c = 0; c < (open < window_size ? 64 : 1); ++c) {
        if (open < window_size) window[open] = static_cast<char>(c);
        std::uint32_t key = 0;
        std::memcpy(&key, window.data(), window_size);
        key &= told_bits;
        const std::uint32_t slot = hash(key) >> (32 - table_bits);
        bits_[slot / 64] |= std::uint64_t{1} << (slot % 64);
        marks_.push_back({key, literal, offset, heads_[head_of(key)]});
        heads_[head_of(key)] = static_cast<std::uint32_t>(marks_.size() - 1);
    }
}

inline bool Scanner::may_be_mark(std::uint32_t window) const {
    const std::uint32_t slot = hash(window) >> (32 - table_bits);
    return bits_[slot / 64] >> (slot % 64) & 1;
}

/// The next place at or after `from`, which is even, whose window may be a mark; the end of the text where there is
/// none.
std::size_t Scanner::candidate(std::string_view text, std::size_t from) const {
    constexpr std::size_t at_once = 4;
    const auto window = [data = text.data()](std::size_t at) { return whole_window(data + at); };
    std::size_t at = from;
    for (; at + at_once * stride + window_size <= text.size(); at += at_once * stride) {
        const bool a = may_be_mark(window(at)), b = may_be_mark(window(at + 2)), c = may_be_mark(window(at + 4)),
                   d = may_be_mark(window(at + 6));
        if (a | b | c | d) return at + (a ? 0 : b ? 2 : c ? 4 : 6);
    }
    for (; at < text.size(); at += stride)
        if (may_be_mark(window_at(text, at))) return at;
    return text.size();
}

}  // namespace rnncheck::log_reader
