// Private things that logs show.
#include <algorithm>

#include "report/secrets.hpp"

namespace rnncheck {

namespace {

bool is_one_of(char c, std::string_view all) {
    return all.find(c) != std::string_view::npos;
}

bool is_ascii_word(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

Span run_at(std::string_view text, std::size_t begin, std::string_view more) {
    std::size_t end = begin;
    while (end < text.size() && (is_ascii_word(text[end]) || is_one_of(text[end], more))) ++end;
    return {begin, end};
}

/// A name of two letters and more, without the dot at the end of a sentence.
std::optional<Span> host_name(std::string_view text, std::size_t begin) {
    Span name = run_at(text, begin, "-.");
    while (name.end > begin && text[name.end - 1] == '.') --name.end;
    const bool has_letter = std::ranges::any_of(name.of(text), [](char c) { return is_ascii_word(c) && (c > '9'); });
    return name.end - name.begin > 1 && has_letter ? std::optional(name) : std::nullopt;
}

bool is_day_before(std::string_view text, std::size_t at) {
    constexpr std::string_view months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                           "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    constexpr std::size_t size = 7;  // "Nov 21 "
    return at >= size && text[at - 1] == ' ' &&
           std::ranges::find(months, text.substr(at - size, 3)) != std::end(months);
}

std::optional<Span> host_of_syslog(std::string_view text, std::size_t at) {
    constexpr std::size_t size = 9;  // "10:00:01 "
    if (at + size >= text.size() || text[at + 2] != ':' || text[at + 5] != ':' || text[at + 8] != ' ')
        return std::nullopt;
    if (!is_day_before(text, at)) return std::nullopt;
    const auto name = host_name(text, at + size);
    if (!name || name->end >= text.size() || text[name->end] != ' ') return std::nullopt;
    const Span program = run_at(text, name->end + 1, "-_./()[]");
    return program.end < text.size() && text[program.end] == ':' ? name : std::nullopt;
}

}  // namespace

std::optional<Span> host_at(std::string_view text, std::size_t at) {
    if (is_one_of(text[at], "0123")) return host_of_syslog(text, at);
    if (!is_one_of(text[at], "hHft") || !is_word_edge(text, at)) return std::nullopt;
    constexpr std::string_view before[] = {"hostname=",      "hostname: ", "Hostname: ", "HOSTNAME=",  "hostname\":\"",
                                           "hostname\": \"", "host\":\"",  "host\": \"", "for host: ", "this host ("};
    for (const std::string_view words : before)
        if (text.substr(at).starts_with(words)) return host_name(text, at + words.size());
    return std::nullopt;
}

std::optional<Span> token_at(std::string_view text, std::size_t at) {
    if (!is_one_of(text[at], "gAhsx") || !is_word_edge(text, at)) return std::nullopt;
    constexpr std::string_view begins[] = {"ghp_", "gho_", "ghs_", "github_pat_", "glpat-",
                                           "AKIA", "hf_",  "sk-",  "xoxb-",       "xoxp-"};
    constexpr std::size_t shortest = 16;
    for (const std::string_view begin : begins) {
        if (!text.substr(at).starts_with(begin)) continue;
        const Span token = run_at(text, at, "_-");
        return token.end - token.begin >= shortest ? std::optional(token) : std::nullopt;
    }
    return std::nullopt;
}

}  // namespace rnncheck
