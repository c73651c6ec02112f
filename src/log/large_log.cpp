#include "log/large_log.hpp"

#include <algorithm>

namespace rnncheck::log_reader {

namespace {

/// Messages are spread over lines, by who wrote them or by who wrapped them: these are matched together, within bounds.
constexpr std::size_t lines_before = 3, lines_after = 3;
constexpr std::size_t most_before = 2 * 1024, most_after = 6 * 1024;
static_assert(most_before <= Blocks::around && most_after <= Blocks::around);

template <class Value>
std::vector<std::string> keys_of(const std::map<std::string, Value>& map) {
    std::vector<std::string> keys;
    for (const auto& [key, value] : map) keys.push_back(key);
    return keys;
}

std::size_t begin_of_lines(std::string_view text, std::size_t place) {
    const std::size_t least = place - std::min(place, most_before);
    const std::string_view before = text.substr(least, place - least);
    std::size_t end = before.size();
    for (std::size_t line = 0; line <= lines_before; ++line) {
        const std::size_t line_end = end == 0 ? std::string_view::npos : before.rfind('\n', end - 1);
        if (line_end == std::string_view::npos) return least;
        end = line_end;
    }
    return least + end + 1;
}

std::size_t end_of_line(std::string_view text, std::size_t place) {
    return std::min({text.find('\n', place), text.size(), place + most_after});
}

std::size_t end_of_lines(std::string_view text, std::size_t place) {
    std::size_t end = end_of_line(text, place);
    for (std::size_t line = 0; line < lines_after && end < text.size() && text[end] == '\n'; ++line)
        end = std::min(end_of_line(text, end + 1), place + most_after);
    return end;
}

/// In pieces whose counts fit into a byte, which processors add many at a time.
std::int64_t line_ends_in(std::string_view text) {
    constexpr std::size_t most_in_byte = 255;
    std::int64_t all = 0;
    for (; !text.empty(); text.remove_prefix(std::min(most_in_byte, text.size()))) {
        std::uint8_t some = 0;
        for (const char c : text.substr(0, most_in_byte)) some = static_cast<std::uint8_t>(some + (c == '\n'));
        all += some;
    }
    return all;
}

}  // namespace

std::map<std::string, std::vector<LargeLog::Wanted>> LargeLog::wanted_by(const Collector& collector) {
    std::map<std::string, std::vector<Wanted>> by_core;
    for (std::size_t s = 0; s < collector.signatures().size(); ++s)
        for (const Phrase& phrase : collector.signatures()[s].phrases()) by_core[phrase.core()].push_back({s, phrase});
    return by_core;
}

LargeLog::LargeLog(Collector& collector, std::string name)
    : LargeLog(collector, std::move(name), wanted_by(collector)) {}

LargeLog::LargeLog(Collector& collector, std::string name, std::map<std::string, std::vector<Wanted>> by_core)
    : collector_(collector), name_(std::move(name)), scanner_(keys_of(by_core)), done_(collector.signatures().size()) {
    for (auto& [core, wanted] : by_core) wanted_.push_back(std::move(wanted));
}

void LargeLog::take(const Block& block) {
    block_ = block;
    counted_ = block.begin;
    const std::string_view searched = block.text.substr(block.begin, block.end - block.begin + Phrase::longest_core);
    scanner_.find_all(searched, [&](std::size_t place, std::size_t core) {
        if (block.begin + place < block.end) look_at(block.begin + place, core);
    });
    line_at(block.end);
    ends_in_line_ = !block.own().ends_with('\n');
    // The next block's text begins so much before its own bytes.
    block_place_ += static_cast<std::int64_t>(block.end - std::min(block.end, Blocks::around));
    forget_what_is_full();
}

void LargeLog::look_at(std::size_t place, std::size_t core) {
    for (const Wanted& wanted : wanted_[core])
        if (!collector_.is_full(wanted.signature) &&
            block_place_ + static_cast<std::int64_t>(place) >= done_[wanted.signature] &&
            wanted.phrase.may_stand(block_.text, place))
            match(wanted.signature, place);
}

/// Matches what begins in the line at `place` or in one of those before it.
void LargeLog::match(std::size_t signature, std::size_t place) {
    const std::string_view text = block_.text;
    const std::int64_t done = done_[signature] - block_place_;
    std::size_t begin = begin_of_lines(text, place);
    if (done > static_cast<std::int64_t>(begin)) begin = static_cast<std::size_t>(done);
    const std::size_t line_end = end_of_line(text, place), end = end_of_lines(text, place);
    const std::int64_t more_lines = line_ends_in(text.substr(begin, place - begin));
    Passage passage = make_passage(text.substr(begin, end - begin), line_at(place) - more_lines);
    if (block_place_ > 0 || begin > 0) {
        passage.squeezed_from = 1;
        passage.text_from = begin > 0 && text[begin - 1] == '\n' ? 0 : 1;
    }
    collector_.take(signature, passage, name_, static_cast<std::size_t>(more_lines) + 1);
    done_[signature] = block_place_ + static_cast<std::int64_t>(std::min(line_end + 1, text.size()));
}

/// The number of the line that `place` is in.
std::int64_t LargeLog::line_at(std::size_t place) {
    if (place < counted_) return line_ends_ + 1 - line_ends_in(block_.text.substr(place, counted_ - place));
    line_ends_ += line_ends_in(block_.text.substr(counted_, place - counted_));
    counted_ = place;
    return line_ends_ + 1;
}

void LargeLog::forget_what_is_full() {
    for (std::size_t core = 0; core < wanted_.size(); ++core) {
        auto& of = wanted_[core];
        const auto full =
            std::remove_if(of.begin(), of.end(), [&](const Wanted& w) { return collector_.is_full(w.signature); });
        if (full == of.end()) continue;
        of.erase(full, of.end());
        if (of.empty()) scanner_.forget(core);
    }
}

}  // namespace rnncheck::log_reader
