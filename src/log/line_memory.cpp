#include "log/line_memory.hpp"

#include <algorithm>

namespace rnncheck::log_reader {

namespace {

/// Whether a mark stands behind an `opening`.
bool has_behind(std::string_view text, char opening, bool (*is_mark)(char)) {
    for (auto at = text.find(opening); at != text.npos && at + 1 < text.size(); at = text.find(opening, at + 1))
        if (is_mark(text[at + 1])) return true;
    return false;
}

/// Whether other digits might stand for another character (undo.hpp), or what comes behind `text` might end a tag that
/// none in it ends.
bool may_mean_other(std::string_view text) {
    const auto begins_number = [](char c) { return (c >= '0' && c <= '9') || c == 'u' || c == 'x'; };
    const auto begins_name = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '/'; };
    const std::string_view behind_tags = text.substr(text.rfind('>') + 1);
    return text.find("&#") != text.npos || has_behind(text, '\\', begins_number) ||
           has_behind(behind_tags, '<', begins_name);
}

}  // namespace

bool LineMemory::knows(const Lines& lines, std::size_t line) {
    const bool known =
        holds(lines[line].hash) || holds(lines.hash_with_next(line)) || holds(lines.hash_with_around(line));
    const std::size_t size = lines.text(line).size();
    ++lines_;
    asked_ += size;
    known_ += known ? size : 0;
    return known;
}

void LineMemory::learn(const Lines& lines, std::size_t line, Verdict why) {
    if (why < Verdict::refuted_by_lines) return;
    const bool by_line = why == Verdict::refuted_by_line;
    const auto with_around = by_line ? std::nullopt : lines.hash_with_around(line);
    if (!by_line && !with_around) return;
    const auto hash = by_line                          ? lines[line].hash
                      : why == Verdict::refuted_by_two ? lines.hash_with_next(line)
                                                       : with_around;
    if (hash && !may_mean_other(by_line ? lines.text(line) : lines.text_around(line))) slot(*hash) = *hash;
}

void LineMemory::forget_all() {
    std::fill(slots_.begin(), slots_.end(), 0);
}

/// Bytes that are not known cost what known ones spare, and each line as much as some more.
bool LineMemory::pays() {
    constexpr std::size_t bytes_of_line = 8;
    if (rest_left_ > 0) return --rest_left_ == 0;
    if (known_ < asked_ / 2 + lines_ * bytes_of_line) {
        rest_left_ = next_rest_;
        next_rest_ = std::min(2 * next_rest_, longest_rest);
    } else {
        next_rest_ = shortest_rest;
    }
    asked_ = known_ = lines_ = 0;
    return rest_left_ == 0;
}

}  // namespace rnncheck::log_reader
