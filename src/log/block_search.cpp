// Searches a log that is too large to be matched as a whole.
#include <algorithm>
#include <cctype>
#include <cstring>
#include <set>

#include "log/blocks.hpp"
#include "log/events.hpp"

namespace rnncheck::log_reader {

namespace {

constexpr std::size_t longest_line = 1024;  ///< longer ones are cut
constexpr std::size_t lines_after = 3;      ///< a match that begins in a line ends no farther behind it
constexpr std::size_t most_at_once = 2048;  ///< bytes of new lines that are matched together
static_assert((lines_after + 1) * longest_line <= Blocks::around);

/// The first line of `text` with its end. Progress bars begin anew behind a carriage return.
std::string_view first_line(std::string_view text) {
    std::string_view line = text.substr(0, longest_line);
    line = line.substr(0, std::min(line.find('\n'), line.size() - 1) + 1);
    if (const std::size_t end = line.find('\r'); end != line.npos)
        return line.substr(0, line.find_first_not_of("\r\n", end));
    if (line.size() < longest_line || line.ends_with('\n')) return line;
    const std::size_t blank = line.rfind(' ');
    return blank == line.npos ? line : line.substr(0, blank + 1);
}

/// The last line of `text`, or what fits.
std::string_view last_line(std::string_view text) {
    text = text.substr(text.size() - std::min(text.size(), longest_line));
    const std::size_t line_end = text.substr(0, text.size() - 1).rfind('\n');
    return text.substr(line_end == text.npos ? 0 : line_end + 1);
}

bool ends_in_word(std::string_view text) {
    while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.remove_suffix(1);
    return !text.empty() && (std::isalnum(static_cast<unsigned char>(text.back())) || text.back() == '_');
}

constexpr std::uint64_t each_byte(std::uint64_t byte) {
    return byte * 0x0101010101010101U;
}

/// Every digit is a zero.
std::uint64_t without_digits(std::uint64_t bytes) {
    const std::uint64_t from_zero = bytes ^ each_byte('0');
    const std::uint64_t ten_or_more = ((from_zero & each_byte(0x7F)) + each_byte(0x80 - 10)) | from_zero;
    const std::uint64_t digits = (~ten_or_more & each_byte(0x80)) >> 7;
    return bytes & ~(digits * 0x0F);
}

std::uint64_t word_at(std::string_view text, std::size_t at) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, text.data() + at, std::min(sizeof bytes, text.size() - at));
    return without_digits(bytes);
}

std::uint64_t combined_hash(std::uint64_t first, std::uint64_t second) {
    const std::uint64_t mixed = (first ^ second) * 0x9E3779B97F4A7C15U;
    return mixed ^ mixed >> 32;
}

/// Equal for texts that differ in digits only. Two words at a time, which processors multiply side by side.
std::uint64_t digit_blind_hash(std::string_view text) {
    constexpr std::size_t word = sizeof(std::uint64_t);
    std::uint64_t one = text.size(), other = 1;
    std::size_t at = 0;
    for (; at + 2 * word <= text.size(); at += 2 * word) {
        one = combined_hash(one, word_at(text, at));
        other = combined_hash(other, word_at(text, at + word));
    }
    for (; at < text.size(); at += word) one = combined_hash(one, word_at(text, at));
    return combined_hash(one, other);
}

/// Whether other digits would make an escape of HTML or JSON stand for another character.
bool digits_are_escapes(std::string_view text) {
    if (text.find('&') == text.npos && text.find('\\') == text.npos) return false;
    static const re2::RE2 escape(R"(&#x?[0-9]|\\(?:u[0-9]{4}|[0-9]{3}|x[0-9][bB]))", re2::RE2::Latin1);
    return re2::RE2::PartialMatch({text.data(), text.size()}, escape);
}

/// Hashes of lines that were searched: programs print the same few lines for days. Bounded, so some are forgotten.
class SeenLines {
  public:
    bool contains(std::uint64_t hash) const {
        const std::size_t slot = hash >> (64 - slot_bits);
        return slots_[slot] == hash || slots_[slot ^ 1] == hash;
    }
    void add(std::uint64_t hash) {
        const std::size_t slot = hash >> (64 - slot_bits);
        slots_[slots_[slot] == 0 ? slot : slot ^ 1] = hash;
    }

  private:
    static constexpr unsigned slot_bits = 21;
    std::vector<std::uint64_t> slots_ = std::vector<std::uint64_t>(std::size_t{1} << slot_bits);
};

class BlockSearch {
  public:
    BlockSearch(EventCollector& collector, std::string file) : collector_(collector), file_(std::move(file)) {}

    void take(const Block& block) {
        split(block);
        for (std::size_t line = first_; line < last_;) {
            const std::size_t first = line;
            std::size_t size = 0;
            for (; line < last_ && size < most_at_once && !seen_.contains(hashes_[line]); ++line)
                size += lines_[line].text.size() + 1;
            if (line > first)
                search(first, line);
            else
                ++line;
        }
    }

    /// In all blocks so far.
    std::int64_t lines() const { return line_ends_ + (ends_in_line_ ? 1 : 0); }

  private:
    void split(const Block& block) {
        lines_.clear();
        hashes_.clear();
        const std::string_view before = block.text.substr(0, block.begin);
        bool starts_line = true;
        std::int64_t number = before.ends_with('\n') ? line_ends_ : line_ends_ + 1;
        const auto add = [&](std::string_view line) {
            hashes_.push_back(digit_blind_hash(line));
            lines_.push_back({line.substr(0, line.size() - (line.ends_with('\n') ? 1 : 0)), number, starts_line});
            starts_line = line.ends_with('\n');
            number += starts_line ? 1 : 0;
            return line.size();
        };
        if (!before.empty()) add(last_line(before));
        first_ = lines_.size();
        for (std::string_view own = block.own(); !own.empty();) own.remove_prefix(add(first_line(own)));
        last_ = lines_.size();
        line_ends_ = number - 1;
        ends_in_line_ = !starts_line;
        std::string_view after = block.text.substr(block.end);
        while (!after.empty() && lines_.size() < last_ + lines_after) after.remove_prefix(add(first_line(after)));
        for (std::size_t line = first_; line < last_; ++line) hashes_[line] = hash_with_next(line);
    }

    /// Of a line and those that follow it. Whether it begins at a line end, or behind a word, decides about some
    /// matches too.
    std::uint64_t hash_with_next(std::size_t line) const {
        std::uint64_t hash = lines_[line].starts_line ? 1 : 2;
        if (line > 0) hash += ends_in_word(lines_[line - 1].text) ? 4 : 8;
        const std::size_t end = std::min(line + 1 + lines_after, lines_.size());
        for (; line < end; ++line) hash = combined_hash(hash, hashes_[line]);
        return hash;
    }

    /// Lines in which nothing was found, whatever their digits are, need not be searched again.
    void search(std::size_t first, std::size_t last) {
        const std::size_t begin = first - std::min(first, std::size_t{1});
        const std::size_t end = std::min(last + lines_after, lines_.size());
        const auto at = [&](std::size_t line) { return lines_.begin() + static_cast<std::ptrdiff_t>(line); };
        const NormalizedText text = normalized({at(begin), at(end)});
        std::set<std::int64_t> matched;
        const char* const raw = lines_[first].text.data();
        const char* const raw_end = lines_[end - 1].text.data() + lines_[end - 1].text.size();
        bool is_learned = !digits_are_escapes({raw, static_cast<std::size_t>(raw_end - raw)});
        for (const int candidate : collector_.signatures().candidates(text.without_whitespace)) {
            const auto signature = static_cast<std::size_t>(candidate);
            if (collector_.is_full(signature)) continue;
            for (const std::int64_t line : collector_.take(signature, text, {first - begin, last - begin}, file_))
                matched.insert(line);
            is_learned = is_learned && !collector_.signatures()[signature].may_match_with_other_digits(text);
        }
        for (std::size_t line = first; is_learned && line < last; ++line)
            if (!matched.contains(lines_[line].number)) seen_.add(hashes_[line]);
    }

    EventCollector& collector_;
    std::string file_;
    SeenLines seen_;
    std::vector<RawLine> lines_;         ///< of the block, one before and some after
    std::vector<std::uint64_t> hashes_;  ///< of each of the block's own lines with those that follow
    std::size_t first_ = 0, last_ = 0;   ///< the block's own lines
    std::int64_t line_ends_ = 0;
    bool ends_in_line_ = false;
};

}  // namespace

std::int64_t search_blocks(Blocks& blocks, Block block, EventCollector& collector, const std::string& file) {
    BlockSearch search(collector, file);
    for (; block.end > block.begin; block = blocks.next()) search.take(block);
    return search.lines();
}

}  // namespace rnncheck::log_reader
