#include "log/lines.hpp"

#include <algorithm>
#include <cstring>

#include "log/neighbours.hpp"

namespace rnncheck::log_reader {

namespace {

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

std::uint64_t word_at(std::string_view line, std::size_t at) {
    std::uint64_t bytes = 0;
    if (at + sizeof bytes <= line.size()) [[likely]]
        std::memcpy(&bytes, line.data() + at, sizeof bytes);
    else
        std::memcpy(&bytes, line.data() + at, line.size() - at);
    return without_digits(bytes);
}

std::uint64_t mix(std::uint64_t hash, std::uint64_t bytes) {
    const std::uint64_t mixed = (hash ^ bytes) * 0x9E3779B97F4A7C15U;
    return mixed ^ mixed >> 32;
}

/// Two words at a time, which processors multiply side by side.
std::uint64_t hash_of_bytes(std::string_view line) {
    constexpr std::size_t word = sizeof(std::uint64_t);
    std::uint64_t one = line.size(), other = 1;
    std::size_t at = 0;
    for (; at + 2 * word <= line.size(); at += 2 * word) {
        one = mix(one, word_at(line, at));
        other = mix(other, word_at(line, at + word));
    }
    if (at + word <= line.size()) one = mix(one, word_at(line, at));
    other = mix(other, word_at(line, line.size() - std::min(word, line.size())));
    return mix(one, other);
}

Line line_at(std::string_view text, std::size_t begin) {
    constexpr std::size_t longest = 4096;
    const std::string_view rest = text.substr(begin);
    const std::string_view line = rest.substr(0, std::min(rest.find('\n'), rest.size() - 1) + 1);
    const bool is_whole = line.ends_with('\n') && begin > 0 && text[begin - 1] == '\n';
    Line found{begin, begin + line.size(), {}};
    if (is_whole && line.size() <= longest) found.hash = hash_of_bytes(line);
    return found;
}

std::size_t begin_before(std::string_view text, std::size_t begin) {
    for (std::size_t line = 0; line < lines_around && begin > 0; ++line) {
        const std::size_t line_end = text.substr(0, begin - 1).rfind('\n');
        begin = line_end == text.npos ? 0 : line_end + 1;
    }
    return begin;
}

}  // namespace

Lines::Lines(std::string_view text, std::size_t begin, std::size_t end) : text_(text) {
    for (std::size_t at = begin_before(text, begin), behind = 0; at < text.size() && behind < lines_around;) {
        lines_.push_back(line_at(text, at));
        at = lines_.back().end;
        if (at <= begin) ++first_;
        if (lines_.back().begin >= end)
            ++behind;
        else
            last_ = lines_.size();
    }
}

std::optional<std::uint64_t> Lines::hash_with_next(std::size_t line) const {
    return line + 1 < lines_.size() ? hash_of(line, line + 1) : std::nullopt;
}

std::optional<std::uint64_t> Lines::hash_with_around(std::size_t line) const {
    if (line < lines_around || line + lines_around >= lines_.size()) return std::nullopt;
    return hash_of(line - lines_around, line + lines_around);
}

std::string_view Lines::text_around(std::size_t line) const {
    return text_of(line - std::min(line, lines_around), std::min(line + lines_around, lines_.size() - 1));
}

std::optional<std::uint64_t> Lines::hash_of(std::size_t from, std::size_t to) const {
    std::uint64_t all = to - from;
    for (std::size_t line = from; line <= to; ++line) {
        if (!lines_[line].hash) return std::nullopt;
        all = mix(all + 1, *lines_[line].hash);
    }
    return all;
}

std::string_view Lines::text_of(std::size_t from, std::size_t to) const {
    return text_.substr(lines_[from].begin, lines_[to].end - lines_[from].begin);
}

}  // namespace rnncheck::log_reader
