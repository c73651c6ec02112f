#include "log/events.hpp"

#include <algorithm>

#include "base/lists.hpp"
#include "base/text.hpp"

namespace rnncheck::log_reader {

constexpr std::size_t most_text = 240;
constexpr std::size_t most_variants =
    16;  ///< of one signature, distinguished by what the lines report

/// Lines are long: what matched shall be in the quotation.
static std::string quotation(std::string_view line, std::string_view matched) {
    constexpr std::size_t before = 100;
    line = trim(line);
    if (line.size() <= most_text)
        return escaped(line, most_text);
    const std::size_t at = line.find(matched.substr(0, 12));
    if (at == std::string_view::npos || at < most_text - before)
        return escaped(line, most_text);
    return "..." + escaped(line.substr(at - before), most_text);
}

static std::size_t most_captures(const std::vector<LogEvent>& events) {
    std::size_t most = 0;
    for (const LogEvent& event : events)
        most = std::max(most, event.captures.size());
    return most;
}

EventCollector::EventCollector(const Signatures& signatures)
    : signatures_(signatures), seen_(signatures_.size()), found_(signatures_.size()) {
}

std::vector<std::int64_t> EventCollector::take(
    std::size_t signature, const NormalizedText& text, OwnLines own, const std::string& file) {
    const Signature& wanted = signatures_[signature];
    std::vector<LogEvent> events = matches(wanted, text, false, own);
    // A match that shows less than it could may have been wrapped in the middle of a word.
    if (events.empty() || most_captures(events) < wanted.groups()) {
        std::vector<LogEvent> others = matches(wanted, text, true, own);
        if (events.empty() || most_captures(others) > most_captures(events))
            events = std::move(others);
    }
    std::vector<std::int64_t> lines;
    for (LogEvent& event : events) {
        event.file = file;
        lines.push_back(event.line);
        ++seen_[signature];
        auto& known = found_[signature];
        if (LogEvent* const old = find_by(known, &LogEvent::captures, event.captures))
            ++old->count;
        else if (known.size() < most_variants)
            known.push_back(std::move(event));
    }
    return lines;
}

std::vector<LogEvent> EventCollector::matches(
    const Signature& signature,
    const NormalizedText& text,
    bool without_whitespace,
    OwnLines own) const {
    std::vector<LogEvent> events;
    const std::string& searched = without_whitespace ? text.without_whitespace : text.text;
    const auto& starts = without_whitespace ? text.without_whitespace_starts : text.text_starts;
    if (own.begin >= starts.size())
        return events;
    // A pattern that wants the beginning of a line begins with the end of the line before.
    const auto is_line_end = [&](std::size_t at) {
        return at < searched.size() && searched[at] == '\n';
    };
    std::size_t from = starts[own.begin];
    if (from > 0 && is_line_end(from - 1))
        --from;
    while (from <= searched.size() && events.size() < static_cast<std::size_t>(most_seen)) {
        const auto match = signature.match(searched, from);
        if (!match)
            break;
        const std::size_t line =
            line_at(starts, match->begin + (is_line_end(match->begin) ? 1 : 0));
        if (line >= own.end)
            break;
        LogEvent& event = events.emplace_back();
        event.signature = signature.id();
        event.kind = signature.kind();
        event.line = text.lines[line].number;
        event.text = quotation(
            text.lines[line].text,
            std::string_view(searched).substr(match->begin, match->end - match->begin));
        event.captures = match->captures;
        from = std::max(match->end, match->begin + 1);
    }
    return events;
}

std::vector<LogEvent> EventCollector::events() const {
    std::vector<LogEvent> events;
    for (const auto& of_one : found_)
        append(events, of_one);
    std::ranges::stable_sort(events, {}, &LogEvent::line);
    return events;
}

}  // namespace rnncheck::log_reader
