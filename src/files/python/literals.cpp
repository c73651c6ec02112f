// A small part of Python's syntax, by regular expressions: what is more than a
// literal is passed over, never interpreted.
#include <re2/re2.h>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "files/python/frameworks.hpp"

namespace rnncheck::python {

constexpr std::size_t most_text = 64 * 1024, most_names = 256;

/// A text in quotes without escapes, or a word, which need not be a literal.
const std::string token_pattern = R"('[^'\\\n]*'|"[^"\\\n]*"|[0-9A-Za-z.]+)";

/// Of one token or a list of tokens; empty when one of them is no literal.
static std::vector<std::string> values_in(re2::StringPiece text) {
    static const re2::RE2 next("[ \\t]*(" + token_pattern + ")[ \\t]*(?:,|$)", re2::RE2::Latin1);
    static const re2::RE2 literal(
        R"(['"](.{0,200}).|(True|False|None|[0-9.]{1,200}))", re2::RE2::Latin1);
    if (text[0] == '[')
        text = {text.data() + 1, text.size() - 2};
    std::vector<std::string> values;
    for (std::string token, quoted, plain; re2::RE2::Consume(&text, next, &token);) {
        if (!re2::RE2::FullMatch(token, literal, &quoted, &plain))
            return {};
        values.push_back(quoted + plain);
    }
    if (!trim(text).empty())
        return {};
    return values;
}

/// A line may have an assignment at its beginning and pairs anywhere.
static void read_line(std::string_view line, Literals& literals) {
    static const std::string value = R"(=[ \t]*(\[[^\]]*\]|)" + token_pattern + ")";
    static const re2::RE2 assignment(
        R"(([A-Za-z0-9_]+)[ \t]*(?::[^=\n]*)?)" + value, re2::RE2::Latin1);
    static const re2::RE2 pair(
        R"(\([ \t]*('[^'\\\n]*'|"[^"\\\n]*")[ \t]*,)" + value.substr(1), re2::RE2::Latin1);
    const auto put = [&](std::string name, const re2::StringPiece& text) {
        if (auto values = values_in(text); !values.empty() && literals.values.size() < most_names)
            literals.values.try_emplace(std::move(name), std::move(values));
    };
    re2::StringPiece rest(line.data(), line.size()), name, text;
    if (re2::RE2::Consume(&rest, assignment, &name, &text))
        put({name.data(), name.size()}, text);
    rest = {line.data(), line.size()};
    while (re2::RE2::FindAndConsume(&rest, pair, &name, &text))
        put({name.data() + 1, name.size() - 2}, text);
}

std::optional<std::string> Literals::one(std::string_view name) const {
    const auto found = all(name);
    if (found.size() == 1 && found.front() != "None")
        return found.front();
    return std::nullopt;
}

std::optional<bool> Literals::yes_no(std::string_view name) const {
    const auto word = one(name);
    if (word == "True" || word == "False")
        return word == "True";
    return std::nullopt;
}

std::vector<std::string> Literals::all(std::string_view name) const {
    const auto* const found = look_up(values, name);
    if (!found)
        return {};
    return *found;
}

Literals read_literals(std::string_view text) {
    Literals literals;
    text = text.substr(0, most_text);
    while (!text.empty())
        read_line(take_line(text), literals);
    return literals;
}

}  // namespace rnncheck::python
