#include "log/normalize.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>

namespace rnncheck::log_reader {

namespace {

bool is_blank(char c) {
    return static_cast<unsigned char>(c) <= ' ' || c == 0x7F;
}

/// The first character of a text before it was coloured or written as HTML or JSON.
struct Unescaped {
    std::size_t length = 1;    ///< bytes taken, at least 1
    std::string_view instead;  ///< what they stand for, often the byte itself; "" for nothing
};

struct Replacement {
    std::string_view from;
    std::string_view to;
};

constexpr std::array html = std::to_array<Replacement>({
    {"&lt;", "<"},
    {"&gt;", ">"},
    {"&amp;", "&"},
    {"&quot;", "\""},
    {"&#34;", "\""},
    {"&#39;", "'"},
    {"&#039;", "'"},
    {"&apos;", "'"},
    {"&#x27;", "'"},
    {"&#x2F;", "/"},
    {"&nbsp;", " "},
    {"&#10;", " "},
    {"&#13;", " "},
    {"&lsquo;", "'"},
    {"&rsquo;", "'"},
    {"&ldquo;", "\""},
    {"&rdquo;", "\""},
});

constexpr std::array json = std::to_array<Replacement>({
    {"\\n", " "},
    {"\\r", " "},
    {"\\t", " "},
    {"\\\"", "\""},
    {"\\/", "/"},
    {"\\\\", "\\"},
    {"\\u0027", "'"},
    {"\\u003c", "<"},
    {"\\u003e", ">"},
    {"\\u003C", "<"},
    {"\\u003E", ">"},
    {"\\u0026", "&"},
});

/// Quotes and blanks that word processors and web pages put in, byte-order marks.
constexpr std::array typography = std::to_array<Replacement>({
    {"\xE2\x80\x98", "'"},
    {"\xE2\x80\x99", "'"},
    {"\xE2\x80\x9C", "\""},
    {"\xE2\x80\x9D", "\""},
    {"\xC2\xA0", " "},
    {"\xE2\x80\x8B", ""},
    {"\xEF\xBB\xBF", ""},
    {"\xE2\x80\x89", " "},
    {"\xE3\x80\x80", " "},
    {"\xC2\xAD", ""},
});

constexpr std::array tags = std::to_array<std::string_view>(
    {"br", "code", "pre", "p", "div", "span", "em", "strong", "b", "i", "td", "tr", "li", "ul", "font", "samp", "tt"});

constexpr std::size_t longest_code = 64;

/// Length of "[01;31m", "[K", "[2J" at `at`; 0 when it is none.
std::size_t control_sequence(std::string_view text, std::size_t at) {
    if (at >= text.size() || text[at] != '[') return 0;
    for (std::size_t end = at + 1; end < std::min(text.size(), at + longest_code); ++end) {
        const char c = text[end];
        if (c >= '@' && c <= '~') return end + 1 - at;
        if (c < ' ' || c > '?') return 0;
    }
    return 0;
}

/// Length of a colour code that starts with the escape character or one of its spellings.
std::size_t colour_code(std::string_view text) {
    for (const std::string_view escape : {"\x1B", "^[", "\\x1b", "\\x1B", "\\u001b", "\\u001B", "\\033", "\\e"})
        if (text.starts_with(escape)) {
            if (const std::size_t length = control_sequence(text, escape.size())) return escape.size() + length;
            return escape == "\x1B" ? 1 : 0;
        }
    return 0;
}

/// "[31m" and "[0m" where the escape character itself was lost.
std::size_t bare_colour(std::string_view text) {
    if (text.size() < 3 || text[0] != '[' || !std::isdigit(static_cast<unsigned char>(text[1]))) return 0;
    const std::size_t length = control_sequence(text, 0);
    if (length == 0 || text[length - 1] != 'm') return 0;
    const auto is_code = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) || c == ';'; };
    return std::all_of(text.begin() + 1, text.begin() + static_cast<std::ptrdiff_t>(length) - 1, is_code) ? length : 0;
}

/// "<br />", "</span>", "<code class=x>"; other things in angle brackets are text.
std::size_t html_tag(std::string_view text) {
    std::size_t at = 1;
    if (at < text.size() && text[at] == '/') ++at;
    std::size_t end = at;
    while (end < text.size() && std::isalpha(static_cast<unsigned char>(text[end]))) ++end;
    if (std::ranges::find(tags, text.substr(at, end - at)) == tags.end()) return 0;
    if (end < text.size() && text[end] != '>' && text[end] != ' ' && text[end] != '/') return 0;
    const std::size_t close = text.substr(0, 200).find('>', end);
    return close == std::string_view::npos ? 0 : close + 1;
}

bool replace(std::span<const Replacement> list, std::string_view text, Unescaped& unescaped) {
    for (const auto& [from, to] : list)
        if (text.starts_with(from)) return unescaped = {from.size(), to}, true;
    return false;
}

/// Of `text`, which must not be empty. `is_json`: backslashes are escapes.
Unescaped unescape_at(std::string_view text, bool is_json) {
    Unescaped unescaped{1, text.substr(0, 1)};
    const auto first = static_cast<unsigned char>(text[0]);
    if (first == 0x1B || first == '^' || first == '\\')
        if (const std::size_t length = colour_code(text)) return {length, ""};
    if (first == '[')
        if (const std::size_t length = bare_colour(text)) return {length, ""};
    if (first == '<')
        if (const std::size_t length = html_tag(text)) return {length, " "};
    if (first == 0) return {1, ""};
    if (first == '&' && replace(html, text, unescaped)) return unescaped;
    if (first == '\\' && is_json && replace(json, text, unescaped)) return unescaped;
    if (first >= 0xC2) replace(typography, text, unescaped);
    return unescaped;
}

/// How many bytes from the beginning on stand for themselves.
std::size_t plain_size(std::string_view text) {
    static constexpr auto is_plain = [] {
        std::array<bool, 256> plain{};
        plain.fill(true);
        for (const char c : std::string_view("\0\x1B^\\[<&", 7)) plain[static_cast<unsigned char>(c)] = false;
        for (std::size_t c = 0xC2; c < plain.size(); ++c) plain[c] = false;
        return plain;
    }();
    std::size_t size = 0;
    while (size < text.size() && is_plain[static_cast<unsigned char>(text[size])]) ++size;
    return size;
}

/// A line that is one JSON object, as log collectors write.
bool looks_like_json(std::string_view line) {
    const std::size_t at = line.find_first_not_of(" \t");
    return at != std::string_view::npos && line[at] == '{' && line.find("\":") != std::string_view::npos;
}

/// Takes characters in reading order and keeps both forms.
class Writer {
  public:
    explicit Writer(NormalizedText& to) : to_(to) {}

    void begin(const RawLine& line) {
        if (line.starts_line) {
            if (!to_.text_starts.empty()) to_.text += '\n';
            line_begin_ = to_.text.size();
            pending_blank_ = false;
        }
        to_.text_starts.push_back(static_cast<std::uint32_t>(to_.text.size()));
        to_.without_whitespace_starts.push_back(static_cast<std::uint32_t>(to_.without_whitespace.size()));
    }

    void put(std::string_view piece) {
        while (!piece.empty()) {
            std::size_t size = 0;
            while (size < piece.size() && !is_blank(piece[size])) ++size;
            put_word(piece.substr(0, size));
            if (size < piece.size()) pending_blank_ = true;
            piece.remove_prefix(std::min(size + 1, piece.size()));
        }
    }

  private:
    void put_word(std::string_view word) {
        if (word.empty()) return;
        if (pending_blank_ && to_.text.size() > line_begin_) to_.text += ' ';
        pending_blank_ = false;
        to_.text += word;
        to_.without_whitespace += word;
    }

    NormalizedText& to_;
    std::size_t line_begin_ = 0;
    bool pending_blank_ = false;
};

/// "> > text" as mail and forums quote.
std::string_view without_quote_marks(std::string_view line) {
    while (true) {
        std::size_t at = 0;
        while (at < line.size() && is_blank(line[at])) ++at;
        if (at + 1 >= line.size() || line[at] != '>' || line[at + 1] != ' ') return line;
        line.remove_prefix(at + 2);
    }
}

void write_unescaped(std::string_view text, bool is_json, Writer& writer) {
    while (!text.empty()) {
        const std::size_t plain = plain_size(text);
        writer.put(text.substr(0, plain));
        text.remove_prefix(plain);
        if (text.empty()) return;
        const Unescaped unescaped = unescape_at(text, is_json);
        writer.put(unescaped.instead);
        text.remove_prefix(unescaped.length);
    }
}

}  // namespace

std::size_t line_at(const std::vector<std::uint32_t>& starts, std::size_t place) {
    const auto after = std::ranges::upper_bound(starts, place);
    return after == starts.begin() ? 0 : static_cast<std::size_t>(after - starts.begin()) - 1;
}

NormalizedText normalized(std::vector<RawLine> raw) {
    NormalizedText result;
    Writer writer(result);
    bool is_json = false;
    for (const RawLine& line : raw) {
        const std::string_view text = line.starts_line ? without_quote_marks(line.text) : line.text;
        if (line.starts_line) is_json = looks_like_json(text);
        writer.begin(line);
        write_unescaped(text, is_json, writer);
    }
    result.lines = std::move(raw);
    return result;
}

std::vector<RawLine> lines_of(std::string_view log) {
    std::vector<RawLine> lines;
    while (!log.empty()) {
        const std::size_t end = std::min(log.find('\n'), log.size());
        lines.push_back({log.substr(0, end), static_cast<std::int64_t>(lines.size()) + 1, true});
        log.remove_prefix(std::min(end + 1, log.size()));
    }
    return lines;
}

}  // namespace rnncheck::log_reader
