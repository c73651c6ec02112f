#include "files/python/metadata.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace rnncheck::packages {

namespace {

constexpr std::size_t most_needs = 1024, longest_field = 512;

bool is_distribution_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.';
}

std::string without_blanks(std::string_view text) {
    std::string bounds;
    for (const char c : text)
        if (c != ' ' && c != '\t' && c != '(' && c != ')') bounds += c;
    return bounds;
}

/// extra == 'and-cuda', wherever it stands in the marker.
std::string extra_in(std::string_view marker) {
    const auto at = marker.find("extra");
    if (at == std::string_view::npos) return "";
    const auto begin = marker.find_first_of("'\"", at);
    if (begin == std::string_view::npos) return "";
    const auto end = marker.find(marker[begin], begin + 1);
    return end == std::string_view::npos ? "" : std::string(marker.substr(begin + 1, end - begin - 1));
}

}  // namespace

std::string normalised(std::string_view name) {
    std::string text;
    for (const char c : lower(name.substr(0, longest_field))) {
        const bool separator = c == '-' || c == '_' || c == '.';
        if (!separator)
            text += c;
        else if (!text.empty() && text.back() != '-')
            text += '-';
    }
    return text;
}

Requirement read_requirement(std::string_view text) {
    text = trim(text.substr(0, longest_field));
    const auto behind_name = std::find_if_not(text.begin(), text.end(), is_distribution_char);
    const auto length = static_cast<std::size_t>(behind_name - text.begin());
    Requirement need;
    need.name = normalised(text.substr(0, length));
    text.remove_prefix(length);
    if (const auto end = text.find(']'); trim(text).starts_with('[') && end != std::string_view::npos)
        text.remove_prefix(end + 1);
    const auto marker = std::min(text.find(';'), text.size());
    need.bounds = without_blanks(text.substr(0, marker));
    need.extra = extra_in(text.substr(marker));
    return need;
}

Metadata read_metadata(std::string_view text) {
    Metadata metadata;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        const std::string_view line = trim(text.substr(0, std::min(end, longest_field)));
        if (line.empty()) break;
        text.remove_prefix(std::min(end + 1, text.size()));
        const auto colon = std::min(line.find(':'), line.size());
        const std::string_view field = line.substr(0, colon);
        const std::string_view value = colon < line.size() ? trim(line.substr(colon + 1)) : std::string_view();
        if (field == "Name" && metadata.name.empty())
            metadata.name = normalised(value);
        else if (field == "Version" && metadata.version.empty())
            metadata.version = value;
        else if (field == "Requires-Dist" && metadata.needs.size() < most_needs)
            metadata.needs.push_back(read_requirement(value));
    }
    return metadata;
}

}  // namespace rnncheck::packages
