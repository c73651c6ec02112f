// Searches a log that is too large to be matched as a whole.
#include <algorithm>
#include <array>
#include <set>
#include <unordered_set>

#include "base/text.hpp"
#include "log/events.hpp"
#include "log/normalize.hpp"

namespace rnncheck::log_reader {

namespace {

constexpr std::size_t longest_line = 1024;  ///< longer ones are cut
constexpr std::size_t lines_after = 3;  ///< a match that begins in a line ends no farther behind it
constexpr std::size_t most_at_once = 2048;   ///< bytes of new lines that are matched together
constexpr std::size_t most_known = 500'000;  ///< lines that are remembered

/// The first line of `text` with its end. Progress bars start a new line with a carriage return.
std::string_view first_line(std::string_view text) {
    std::string_view line = text.substr(0, longest_line);
    line = line.substr(0, std::min(line.find('\n'), line.size() - 1) + 1);
    if (const std::size_t end = line.find('\r'); end != line.npos)
        return line.substr(0, line.find_first_not_of("\r\n", end));
    if (line.size() < longest_line || line.ends_with('\n'))
        return line;
    const std::size_t blank = line.rfind(' ');
    return blank == line.npos ? line : line.substr(0, blank + 1);
}

bool ends_in_word(std::string_view text) {
    while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ')
        text.remove_suffix(1);
    return !text.empty() && (is_letter_or_digit(text.back()) || text.back() == '_');
}

/// Equal for lines that differ in digits only.
std::uint64_t digit_blind_hash(std::string_view line) {
    std::array<char, longest_line> blind;
    std::ranges::transform(line, blind.begin(), [](char c) { return is_digit(c) ? '0' : c; });
    return std::hash<std::string_view>()({blind.data(), line.size()});
}

/// Whether other digits would change the character that an escape of HTML or JSON encodes.
bool digits_are_escapes(std::string_view text) {
    if (text.find('&') == text.npos && text.find('\\') == text.npos)
        return false;
    static const re2::RE2 escape(
        R"(&#x?[0-9]|\\(?:u[0-9]{4}|[0-9]{3}|x[0-9][bB]))", re2::RE2::Latin1);
    return re2::RE2::PartialMatch({text.data(), text.size()}, escape);
}

class LargeLog {
  public:
    LargeLog(EventCollector& collector, std::string file)
        : collector_(collector), file_(std::move(file)) {
    }

    /// Searches `text`, which begins where the previous call stopped; `is_last`: no text follows.
    /// Returns the number of bytes that need not be searched again.
    std::size_t take(std::string_view text, bool is_last) {
        split(text, is_last);
        const std::size_t end =
            lines_.size() - (is_last ? 0 : std::min(lines_after, lines_.size()));
        for (std::size_t line = lines_before_; line < end;) {
            const std::size_t first = line;
            std::size_t size = 0;
            for (; line < end && size < most_at_once && !known_.contains(hash_with_next(line));
                 ++line)
                size += lines_[line].text.size() + 1;
            if (line > first)
                search(first, line);
            else
                ++line;
        }
        if (end <= lines_before_)
            return 0;
        lines_before_ = 1;
        next_ = lines_[end - 1];
        return static_cast<std::size_t>(next_.text.data() - text.data());
    }

    std::int64_t lines() const {
        return line_ends_;
    }

  private:
    /// Up to the last line whose end is certain.
    void split(std::string_view text, bool is_last) {
        lines_.clear();
        hashes_.clear();
        std::int64_t number = next_.number;
        bool starts_line = next_.starts_line;
        while (!text.empty() && (is_last || text.size() > longest_line)) {
            const std::string_view line = first_line(text);
            text.remove_prefix(line.size());
            hashes_.push_back(digit_blind_hash(line));
            lines_.push_back(
                {line.substr(0, line.size() - (line.ends_with('\n') ? 1 : 0)),
                 number,
                 starts_line});
            starts_line = line.ends_with('\n');
            number += starts_line ? 1 : 0;
        }
        line_ends_ = starts_line ? number - 1 : number;
    }

    /// The hash of a line and those that follow it. Whether the line begins after a line end or
    /// after a word also decides some matches.
    std::uint64_t hash_with_next(std::size_t line) const {
        std::uint64_t hash = lines_[line].starts_line ? 1 : 2;
        if (line > 0)
            hash += ends_in_word(lines_[line - 1].text) ? 4 : 8;
        for (std::size_t end = std::min(line + 1 + lines_after, lines_.size()); line < end;
             ++line) {
            hash = (hash ^ hashes_[line]) * 0x9E3779B97F4A7C15U;
            hash ^= hash >> 32;
        }
        return hash;
    }

    /// Lines in which nothing was found, whatever their digits are, need not be searched again:
    /// programs print the same few lines for days.
    void search(std::size_t first, std::size_t last) {
        const std::size_t begin = first - std::min(first, std::size_t{1});
        const std::size_t end = std::min(last + lines_after, lines_.size());
        const auto at = [&](std::size_t line) {
            return lines_.begin() + static_cast<std::ptrdiff_t>(line);
        };
        const NormalizedText text = normalized({at(begin), at(end)});
        std::set<std::int64_t> matched;
        const char* const raw = lines_[first].text.data();
        const char* const raw_end = lines_[end - 1].text.data() + lines_[end - 1].text.size();
        bool is_learned = !digits_are_escapes({raw, static_cast<std::size_t>(raw_end - raw)});
        for (const std::size_t signature :
             collector_.signatures().candidates(text.without_whitespace)) {
            if (collector_.is_full(signature))
                continue;
            for (const std::int64_t line :
                 collector_.take(signature, text, {first - begin, last - begin}, file_))
                matched.insert(line);
            is_learned =
                is_learned && !collector_.signatures()[signature].may_match_with_other_digits(text);
        }
        if (known_.size() >= most_known)
            known_.clear();
        for (std::size_t line = first; is_learned && line < last; ++line)
            if (!matched.contains(lines_[line].number))
                known_.insert(hash_with_next(line));
    }

    EventCollector& collector_;
    std::string file_;
    std::unordered_set<std::uint64_t>
        known_;                   ///< hashes of lines that were searched, with those that follow
    std::vector<RawLine> lines_;  ///< of the text in hand
    std::vector<std::uint64_t> hashes_;  ///< of each
    std::size_t lines_before_ =
        0;          ///< those at its beginning that were searched before: one, or none
    RawLine next_;  ///< number of the first, and whether it starts a line
    std::int64_t line_ends_ = 0;
};

}  // namespace

std::int64_t search_large(
    LogText& log, std::string text, EventCollector& collector, const std::string& file) {
    LargeLog search(collector, file);
    for (bool is_last = false; !is_last;) {
        is_last = !log.append_to(text);
        text.erase(0, search.take(text, is_last));
    }
    return search.lines();
}

}  // namespace rnncheck::log_reader
