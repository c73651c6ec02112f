#include "log/collector.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace rnncheck::log_reader {

namespace {

constexpr std::size_t most_text = 240;
constexpr std::size_t most_variants = 16;  ///< of one signature, told apart by what the lines tell

bool same(const std::vector<LogField>& a, const std::vector<LogField>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const LogField& x, const LogField& y) { return x.name == y.name && x.value == y.value; });
}

/// Lines are long: what matched shall be in the quotation.
std::string quotation(std::string_view line, std::string_view matched) {
    constexpr std::size_t before = 100;
    line = trim(line);
    if (line.size() <= most_text) return escaped(line, most_text);
    const std::size_t at = line.find(matched.substr(0, 12));
    if (at == std::string_view::npos || at < most_text - before) return escaped(line, most_text);
    return "..." + escaped(line.substr(at - before), most_text);
}

/// How much the most telling of these lines tells.
std::size_t told_in(const std::vector<LogEvent>& events) {
    std::size_t most = 0;
    for (const LogEvent& event : events) most = std::max(most, event.told.size());
    return most;
}

}  // namespace

Collector::Collector(const std::vector<Signature>& signatures)
    : signatures_(signatures), seen_(signatures_.size()), found_(signatures_.size()) {}

void Collector::take(const Passage& passage, const std::string& file) {
    for (std::size_t i = 0; i < signatures_.size(); ++i)
        if (!is_full(i)) add(i, find(i, passage, file, passage.lines.size()));
}

std::vector<LogEvent> Collector::find(std::size_t signature, const Passage& passage, const std::string& file,
                                      std::size_t own_lines) const {
    std::vector<LogEvent> events = matches(signature, passage, false, file, own_lines);
    // A match that tells less than it could may have been wrapped in the middle of a word.
    const std::size_t most = signatures_[signature].groups();
    if (events.empty() || told_in(events) < most) {
        std::vector<LogEvent> others = matches(signature, passage, true, file, own_lines);
        if (events.empty() || told_in(others) > told_in(events)) events = std::move(others);
    }
    return events;
}

void Collector::add(std::size_t signature, const std::vector<LogEvent>& events) {
    for (const LogEvent& event : events) add(signature, event);
}

std::vector<LogEvent> Collector::matches(std::size_t signature, const Passage& passage, bool squeezed,
                                         const std::string& file, std::size_t own_lines) const {
    std::vector<LogEvent> events;
    const Signature& wanted = signatures_[signature];
    const std::string& text = squeezed ? passage.squeezed : passage.text;
    if (!wanted.has_literal(text)) return events;
    for (std::size_t from = squeezed ? passage.squeezed_from : passage.text_from;
         from <= text.size() && events.size() < static_cast<std::size_t>(most_seen);) {
        const auto match = wanted.match(text, from);
        if (!match) break;
        // A pattern that wants the beginning of a line begins with the end of the line before.
        const bool at_line_end = match->begin < text.size() && text[match->begin] == '\n';
        const std::size_t place = match->begin + (at_line_end ? 1 : 0);
        const std::size_t line = squeezed ? passage.line_at_squeezed(place) : passage.line_at(place);
        if (line >= own_lines) break;
        LogEvent& event = events.emplace_back();
        event.signature = wanted.id();
        event.kind = wanted.kind();
        event.file = file;
        event.line = passage.first_line + static_cast<std::int64_t>(line);
        event.text =
            quotation(passage.lines[line], std::string_view(text).substr(match->begin, match->end - match->begin));
        event.told = match->told;
        from = std::max(match->end, match->begin + 1);
    }
    return events;
}

void Collector::add(std::size_t signature, const LogEvent& event) {
    ++seen_[signature];
    auto& known = found_[signature];
    const auto old =
        std::find_if(known.begin(), known.end(), [&](const LogEvent& e) { return same(e.told, event.told); });
    if (old != known.end())
        ++old->count;
    else if (known.size() < most_variants)
        known.push_back(event);
}

std::vector<LogEvent> Collector::events() const {
    std::vector<LogEvent> events;
    for (const auto& of_one : found_) events.insert(events.end(), of_one.begin(), of_one.end());
    std::stable_sort(events.begin(), events.end(),
                     [](const LogEvent& a, const LogEvent& b) { return a.line < b.line; });
    return events;
}

}  // namespace rnncheck::log_reader
