// Matches the patterns of texts/private_patterns.txt with RE2, which needs linear time on any text:
// what is redacted may come from a hostile file.
#include "report/private_places.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>

#include "base/directory_list.hpp"
#include "base/lists.hpp"
#include "base/pattern_filter.hpp"
#include "base/text.hpp"

namespace rnncheck {

namespace {

/// Compiled when it is needed, which most are not.
struct Regex {
    std::string text;
    mutable std::unique_ptr<re2::RE2> made = nullptr;

    const re2::RE2& compiled() const {
        if (!made)
            made = std::make_unique<re2::RE2>(text, re2::RE2::Latin1);
        return *made;
    }
};

/// What a group of it matches is private, of this kind.
struct PrivatePattern {
    PrivateKind kind;
    Regex regex;
};

/// The parts that patterns name as <part>, and the patterns in their order.
struct PatternTable {
    std::map<std::string, Regex> parts;  ///< "not user" too
    std::vector<PrivatePattern> patterns;
};

/// The lines of the table, continued ones as one.
std::vector<std::string> table_lines() {
    std::vector<std::string> lines;
    for (std::string line : split(page_named(report_texts(), "private_patterns"), '\n')) {
        line.erase(std::min(line.find("  # "), line.size()));
        if (line.starts_with(' '))
            lines.back() += trim(line);
        else if (!line.empty() && !line.starts_with('#'))
            lines.push_back(std::move(line));
    }
    return lines;
}

/// Read once. A line is "kind: pattern" or "part = pattern"; a part is put in
/// where it is named, so that each must come before its use.
const PatternTable& table() {
    static const auto read = [] {
        PatternTable table;
        for (const std::string_view line : table_lines()) {
            const std::size_t end = line.find_first_of("=:");
            const std::string name(trim(line.substr(0, end)));
            std::string regex(trim(line.substr(end + 1)));
            for (const auto& [part, meaning] : table.parts)
                replace_all(regex, '<' + part + '>', meaning.text);
            if (const auto kind = from_name<PrivateKind>(name))
                table.patterns.push_back({*kind, {std::move(regex)}});
            else
                table.parts[name] = {std::move(regex)};
        }
        return table;
    }();
    return read;
}

/// Every match of one pattern, from left to right.
void add_places(
    std::string_view text, const PrivatePattern& pattern, std::vector<PrivatePlace>& places) {
    const std::string_view kind = name_of(pattern.kind);
    std::array<re2::StringPiece, 6>
        found;  // the match and the groups, of which at most one is there
    for (std::size_t from = 0; pattern.regex.compiled().Match(
             {text.data(), text.size()},
             from,
             text.size(),
             re2::RE2::UNANCHORED,
             found.data(),
             static_cast<int>(found.size()));) {
        const auto group =
            std::find_if(found.begin() + 1, found.end(), [](const auto& g) { return g.data(); });
        const auto& part = group == found.end() ? found.front() : *group;
        const auto begin = static_cast<std::size_t>(part.data() - text.data());
        const std::size_t end = begin + part.size();
        // "hostname" may be taken for a name before it introduces one.
        const bool is_again = pattern.kind == PrivateKind::host && begin > from;
        from = is_again ? begin : std::max(end, from + 1);
        if (group != found.end() && !only_looks_like(kind, {part.data(), part.size()}))
            places.push_back({begin, end, pattern.kind});
    }
}

/// Only patterns whose fixed words are in the text are tried, which are few.
std::vector<PrivatePlace> places_in(std::string_view text) {
    static const PatternFilter filter = [] {
        PatternFilter made;
        for (const PrivatePattern& pattern : table().patterns)
            made.add(pattern.regex.text);
        return made;
    }();
    std::vector<PrivatePlace> places;
    for (const std::size_t i : filter.candidates(text))
        add_places(text, table().patterns[i], places);
    return places;
}

/// Takes terminal codes out, and decodes %2F (RFC 3986).
void decode(std::string_view original, SearchedText& to) {
    static const re2::RE2 code(
        table().parts.at("terminal_code").text + "|%([0-9A-Fa-f]{2})", re2::RE2::Latin1);
    const auto put = [&to](char character, std::size_t at) {
        to.text += character;
        to.from.push_back(at);
    };
    const re2::StringPiece all(original.data(), original.size());
    std::array<re2::StringPiece, 2> found;  // the code and the digits in it
    std::size_t at = 0;
    while (code.Match(all, at, all.size(), re2::RE2::UNANCHORED, found.data(), 2)) {
        const auto begin = static_cast<std::size_t>(found[0].data() - all.data());
        while (at < begin)
            put(original[at], at), ++at;
        if (!found[1].empty())
            put(static_cast<char>(std::stoi(std::string(found[1]), nullptr, 16)), at);
        at += found[0].size();
    }
    for (; at < original.size(); ++at)
        put(original[at], at);
    to.from.push_back(original.size());
    to.from.front() = 0;
}

}  // namespace

bool is_in_place(PrivateKind kind) {
    return kind <= PrivateKind::token;
}

bool only_looks_like(std::string_view kind, std::string_view text) {
    const Regex* const regex = look_up(table().parts, "not " + std::string(kind));
    return regex && re2::RE2::FullMatch({text.data(), text.size()}, regex->compiled());
}

/// Only a domain that begins here: the text goes on behind a host's name.
std::size_t length_of_domain(std::string_view text) {
    re2::StringPiece rest(text.data(), text.size());
    re2::RE2::Consume(&rest, table().parts.at("domain").compiled());
    return text.size() - rest.size();
}

/// Patterns are matched in the original and, if that is another text, in what a
/// terminal shows of it: a code in the middle of a secret hides it from a
/// pattern.
SearchedText searched(std::string_view original) {
    SearchedText all{.places = places_in(original)};
    if (original.find_first_of("\x1b\\%") != std::string_view::npos)
        decode(original, all);
    if (all.text.size() == original.size() || all.from.empty()) {
        all.text = original;
        all.from.clear();
    } else {
        const auto in_text = [&](std::size_t at) {
            return static_cast<std::size_t>(
                std::ranges::lower_bound(all.from, at) - all.from.begin());
        };
        for (PrivatePlace& place : all.places)
            place = {in_text(place.begin), in_text(place.end), place.kind};
        append(all.places, places_in(all.text));
    }
    std::ranges::stable_sort(all.places, [](const PrivatePlace& a, const PrivatePlace& b) {
        if (a.begin != b.begin)
            return a.begin < b.begin;
        return a.end > b.end;
    });
    return all;
}

}  // namespace rnncheck
