#include "log/scanner.hpp"

#include <algorithm>
#include <cstring>

namespace rnncheck::log_reader {

namespace {

constexpr std::size_t mark_size = 3;

std::uint32_t key_at(const char* text) {
    std::uint32_t key = 0;
    std::memcpy(&key, text, mark_size);
    return key;
}

std::uint32_t slot_of(std::uint32_t key) {
    return (key * 0x9E3779B1U) >> 16;
}

/// How common a byte is in logs, roughly: what counts is that capitals and punctuation are rarer than small letters.
int commonness(char c) {
    constexpr std::string_view from_common = " etaoinsrlcdupmhgf0123.-_:/b45678ykvw9xqzj";
    const auto at = from_common.find(c);
    return at == std::string_view::npos ? 1 : static_cast<int>(from_common.size() - at) + 2;
}

std::size_t rarest_mark(std::string_view literal) {
    std::size_t best = 0;
    int least = -1;
    for (std::size_t at = 0; at + mark_size <= literal.size(); ++at) {
        int product = 1;
        for (std::size_t i = 0; i < mark_size; ++i) product *= commonness(literal[at + i]);
        if (least < 0 || product < least) {
            least = product;
            best = at;
        }
    }
    return best;
}

}  // namespace

Scanner::Scanner(const std::vector<std::string>& literals) : literals_(literals) {
    for (std::uint32_t i = 0; i < literals_.size(); ++i) {
        const std::size_t offset = rarest_mark(literals_[i]);
        marks_.push_back({key_at(literals_[i].data() + offset), i, static_cast<std::uint32_t>(offset)});
        const std::uint32_t slot = slot_of(marks_.back().key);
        bits_[slot / 64] |= std::uint64_t{1} << (slot % 64);
    }
    std::sort(marks_.begin(), marks_.end(), [](const Mark& a, const Mark& b) { return a.key < b.key; });
}

Scanner::Hit Scanner::verify(std::string_view text, std::size_t at) const {
    const std::uint32_t key = key_at(text.data() + at);
    auto mark =
        std::lower_bound(marks_.begin(), marks_.end(), key, [](const Mark& m, std::uint32_t k) { return m.key < k; });
    for (; mark != marks_.end() && mark->key == key; ++mark) {
        const std::string& literal = literals_[mark->literal];
        if (at < mark->offset || text.substr(at - mark->offset, literal.size()) != literal) continue;
        return {at - mark->offset, mark->literal, at + 1};
    }
    return {};
}

Scanner::Hit Scanner::find(std::string_view text, std::size_t from) const {
    if (text.size() < mark_size) return {};
    const char* const data = text.data();
    const std::size_t end = text.size() - mark_size + 1;
    // Four bytes are read at once where they are there.
    const std::size_t fast_end = end > 1 ? end - 1 : 0;
    std::size_t at = from;
    for (; at < fast_end; ++at) {
        std::uint32_t word = 0;
        std::memcpy(&word, data + at, sizeof word);
        const std::uint32_t slot = slot_of(word & 0xFFFFFFU);
        if ((bits_[slot / 64] >> (slot % 64) & 1) == 0) continue;
        if (const Hit hit = verify(text, at); hit.place != none) return hit;
    }
    for (; at < end; ++at)
        if (const Hit hit = verify(text, at); hit.place != none) return hit;
    return {};
}

}  // namespace rnncheck::log_reader
