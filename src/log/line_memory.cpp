#include "log/line_memory.hpp"

#include <algorithm>
#include <cstring>
#include <span>

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

/// Whether a mark stands behind an `opening`.
bool has_behind(std::string_view text, char opening, bool (*is_mark)(char)) {
    for (auto at = text.find(opening); at != text.npos && at + 1 < text.size(); at = text.find(opening, at + 1))
        if (is_mark(text[at + 1])) return true;
    return false;
}

/// Whether other digits might stand for another character (undo.hpp), or what comes behind `text` might end a tag.
bool may_mean_other(std::string_view text) {
    const auto begins_number = [](char c) { return (c >= '0' && c <= '9') || c == 'u' || c == 'x'; };
    const auto begins_name = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '/'; };
    const std::string_view behind_tags = text.substr(text.rfind('>') + 1);
    return text.find("&#") != text.npos || has_behind(text, '\\', begins_number) ||
           has_behind(behind_tags, '<', begins_name);
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
std::uint64_t hash_of(std::string_view line) {
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

std::optional<std::uint64_t> hash_of(std::span<const Line> lines) {
    std::uint64_t all = lines.size();
    for (const Line& line : lines) {
        if (!line.itself) return std::nullopt;
        all = mix(all + 1, *line.itself);
    }
    return all;
}

Line line_at(std::string_view text, std::size_t begin) {
    constexpr std::size_t longest = 4096;
    const std::string_view rest = text.substr(begin);
    const std::string_view line = rest.substr(0, std::min(rest.find('\n'), rest.size() - 1) + 1);
    Line found;
    found.begin = begin;
    found.end = begin + line.size();
    if (line.size() <= longest && line.ends_with('\n') && begin > 0 && text[begin - 1] == '\n')
        found.itself = hash_of(line);
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

std::vector<Line> lines_in(std::string_view text, std::size_t begin, std::size_t end) {
    std::vector<Line> lines;
    for (std::size_t at = begin_before(text, begin), behind = 0; at < text.size() && behind < lines_around;) {
        lines.push_back(line_at(text, at));
        behind += at >= end ? 1 : 0;
        at = lines.back().end;
    }
    for (std::size_t i = 0; i + 1 < lines.size(); ++i) lines[i].with_next = hash_of(std::span(lines).subspan(i, 2));
    for (std::size_t i = lines_around; i + lines_around < lines.size(); ++i) {
        const std::span around = std::span(lines).subspan(i - lines_around, 2 * lines_around + 1);
        lines[i].with_around = hash_of(around);
        lines[i].begin_around = around.front().begin;
        lines[i].end_around = around.back().end;
    }
    std::erase_if(lines, [&](const Line& line) { return line.end <= begin || line.begin >= end; });
    return lines;
}

bool LineMemory::knows(const Line& line) {
    const bool known = holds(line.itself) || holds(line.with_next) || holds(line.with_around);
    asked_ += line.end - line.begin;
    known_ += known ? line.end - line.begin : 0;
    return known;
}

void LineMemory::learn(const Line& line, Verdict why, std::string_view text) {
    const auto& hash = why == Verdict::refuted_by_line  ? line.itself
                       : why == Verdict::refuted_by_two ? line.with_next
                                                        : line.with_around;
    const bool by_line = why == Verdict::refuted_by_line;
    if (why < Verdict::refuted_by_lines || !hash || (!by_line && !line.with_around)) return;
    const std::size_t begin = by_line ? line.begin : line.begin_around, end = by_line ? line.end : line.end_around;
    if (!may_mean_other(text.substr(begin, end - begin))) slot(*hash) = *hash;
}

void LineMemory::forget_all() {
    std::fill(slots_.begin(), slots_.end(), 0);
}

bool LineMemory::pays() {
    constexpr unsigned shortest_rest = 16, longest_rest = 256;
    if (rest_left_ > 0) return --rest_left_ == 0;
    if (known_ < asked_ / 4 * 3) {
        rest_left_ = next_rest_;
        next_rest_ = std::min(2 * next_rest_, longest_rest);
    } else {
        next_rest_ = shortest_rest;
    }
    asked_ = known_ = 0;
    return rest_left_ == 0;
}

}  // namespace rnncheck::log_reader
