#include "log/complaints.hpp"

#include <re2/re2.h>

#include <algorithm>

#include "base/text.hpp"

namespace rnncheck::log_reader {

namespace {

constexpr std::size_t most_complaints = 16, longest_complaint = 240;

/// Words of a person, or of a program that gives up something. `[]` is an empty list of devices.
bool complains(std::string_view line) {
    static const re2::RE2 denies(
        R"((?i)\b(?:not|no|none|cannot|can'?t|couldn'?t|doesn'?t|isn'?t|didn'?t|won'?t|never)\b)"
        R"(|\b(?:unable|unsupported|missing|invalid|wrong|impossible|undefined|refused|denied)\b)"
        R"(|\b(?:fail|mismatch|incompatib|abort|crash|conflict|slow)[a-z]*\b|\berrors?\b|\[\])"
        R"(|\b(?:fatal|exception|segmentation|false|nil|nan|only|too|without|instead)\b)",
        re2::RE2::Latin1);
    static const re2::RE2 informs(
        R"(\bINFO\b|[Ss]uccessful|: I tensorflow|\bdefaults?\b)", re2::RE2::Latin1);
    return re2::RE2::PartialMatch(line, denies) && !re2::RE2::PartialMatch(line, informs);
}

}  // namespace

std::vector<LogEvent> complaints_in(
    const std::vector<RawLine>& lines,
    const std::vector<LogEvent>& events,
    const std::string& file) {
    std::vector<LogEvent> found;
    for (const RawLine& line : lines) {
        const auto quotes_it = [&](const LogEvent& event) {
            return event.line == line.number && event.file == file;
        };
        if (found.size() == most_complaints)
            break;
        if (complains(line.text) && std::ranges::none_of(events, quotes_it))
            found.push_back(
                {.signature = complaint,
                 .file = file,
                 .line = line.number,
                 .text = escaped(trim(line.text), longest_complaint)});
    }
    return found;
}

}  // namespace rnncheck::log_reader
