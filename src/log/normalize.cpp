#include "log/normalize.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <array>

#include "base/lists.hpp"

namespace rnncheck::log_reader {

namespace {

bool is_blank(char c) {
    return static_cast<unsigned char>(c) <= ' ' || c == 0x7F;
}

struct Replacement {
    std::string_view from;
    std::string_view to;
};

/// Replacements for characters in web pages and word processors.
constexpr auto spellings = std::to_array<Replacement>({
    {"&lt;", "<"},          {"&gt;", ">"},         {"&amp;", "&"},        {"&quot;", "\""},
    {"&#34;", "\""},        {"&#39;", "'"},        {"&#039;", "'"},       {"&apos;", "'"},
    {"&#x27;", "'"},        {"&#x2F;", "/"},       {"&nbsp;", " "},       {"&#10;", " "},
    {"&#13;", " "},         {"&lsquo;", "'"},      {"&rsquo;", "'"},      {"&ldquo;", "\""},
    {"&rdquo;", "\""},      {"\xE2\x80\x98", "'"}, {"\xE2\x80\x99", "'"}, {"\xE2\x80\x9C", "\""},
    {"\xE2\x80\x9D", "\""}, {"\xC2\xA0", " "},     {"\xE2\x80\x8B", ""},  {"\xEF\xBB\xBF", ""},
    {"\xE2\x80\x89", " "},  {"\xE3\x80\x80", " "}, {"\xC2\xAD", ""},
});

constexpr auto json_escapes = std::to_array<Replacement>({
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

/// Colour codes and other control sequences, the escape character in any of its spellings or lost.
constexpr const char* colours =
    R"((?:\x1B|\^\[|\\x1[bB]|\\u001[bB]|\\033|\\e)\[[ -?]{0,62}[@-~]|\x1B|\[[0-9][0-9;]{0,61}m)";
constexpr std::string_view begins_colour = "\x1B^\\[";

/// "<br />", "</span>", "<code class=x>"; other things in angle brackets are text.
constexpr const char* tags =
    "</?(?:br|code|pre|p|div|span|em|strong|b|i|td|tr|li|ul|font|samp|tt)(?:[ /][^>]{0,190})?>";

/// Bytes of `text` that `pattern` matches at its beginning.
std::size_t length_of(const re2::RE2& pattern, std::string_view text) {
    re2::StringPiece rest(text.data(), text.size());
    return re2::RE2::Consume(&rest, pattern) ? text.size() - rest.size() : 0;
}

/// The character that the first bytes of a text encode, and the number of these bytes, at least 1.
Replacement unescaped(std::string_view text, bool is_json) {
    static const re2::RE2 colour(colours, re2::RE2::Latin1), tag(tags, re2::RE2::Latin1);
    if (text[0] == '\0')
        return {text.substr(0, 1), ""};
    if (text[0] == '<') {
        if (const std::size_t length = length_of(tag, text))
            return {text.substr(0, length), " "};
    } else if (begins_colour.find(text[0]) != begins_colour.npos) {
        if (const std::size_t length = length_of(colour, text))
            return {text.substr(0, length), ""};
    }
    const auto is_here = [&](const Replacement& spelling) {
        return text.starts_with(spelling.from);
    };
    const Replacement* found = find_where(spellings, is_here);
    if (!found && is_json)
        found = find_where(json_escapes, is_here);
    return found ? *found : Replacement{text.substr(0, 1), text.substr(0, 1)};
}

/// Not the first byte of anything that unescaped() knows.
bool is_plain(char c) {
    constexpr std::string_view first_bytes("\0\x1B^\\[<&", 7);
    return static_cast<unsigned char>(c) < 0xC2 && first_bytes.find(c) == first_bytes.npos;
}

/// A line that is one JSON object, as log collectors write.
bool looks_like_json(std::string_view line) {
    const std::size_t at = line.find_first_not_of(" \t");
    return at != std::string_view::npos && line[at] == '{' &&
           line.find("\":") != std::string_view::npos;
}

/// Takes characters in reading order and keeps both forms.
class Writer {
  public:
    explicit Writer(NormalizedText& to) : to_(to) {
    }

    void begin(const RawLine& line) {
        if (line.starts_line) {
            if (!to_.text_starts.empty())
                to_.text += '\n';
            line_begin_ = to_.text.size();
            pending_blank_ = false;
        }
        to_.text_starts.push_back(static_cast<std::uint32_t>(to_.text.size()));
        to_.without_whitespace_starts.push_back(
            static_cast<std::uint32_t>(to_.without_whitespace.size()));
    }

    void put(std::string_view piece) {
        while (!piece.empty()) {
            std::size_t size = 0;
            while (size < piece.size() && !is_blank(piece[size]))
                ++size;
            put_word(piece.substr(0, size));
            if (size < piece.size())
                pending_blank_ = true;
            piece.remove_prefix(std::min(size + 1, piece.size()));
        }
    }

  private:
    void put_word(std::string_view word) {
        if (word.empty())
            return;
        if (pending_blank_ && to_.text.size() > line_begin_)
            to_.text += ' ';
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
        while (at < line.size() && is_blank(line[at]))
            ++at;
        if (at + 1 >= line.size() || line[at] != '>' || line[at + 1] != ' ')
            return line;
        line.remove_prefix(at + 2);
    }
}

void write_unescaped(std::string_view text, bool is_json, Writer& writer) {
    while (!text.empty()) {
        const auto special = std::ranges::find_if_not(text, is_plain);
        writer.put({text.begin(), special});
        text = {special, text.end()};
        if (text.empty())
            return;
        const Replacement first = unescaped(text, is_json);
        writer.put(first.to);
        text.remove_prefix(first.from.size());
    }
}

constexpr std::size_t read_size = 64 * 1024;
constexpr std::size_t sample_size = 64;

/// A log of ASCII letters in UTF-16 has a zero byte in every second place.
bool zeros_at(std::string_view bytes, std::size_t first) {
    const std::string_view sample = bytes.substr(0, sample_size);
    if (sample.size() < 8)
        return false;
    std::size_t zeros = 0, places = 0;
    for (std::size_t i = first; i < sample.size(); i += 2, ++places)
        zeros += sample[i] == '\0';
    return zeros * 10 >= places * 8;
}

void append_utf8(std::string& text, unsigned unit) {
    const auto put = [&text](unsigned byte) { text += static_cast<char>(byte); };
    if (unit < 0x80)
        return put(unit);
    if (unit < 0x800) {
        put(0xC0 | unit >> 6);
    } else {
        put(0xE0 | unit >> 12);
        put(0x80 | (unit >> 6 & 63));
    }
    put(0x80 | (unit & 63));
}

/// All bytes except that of an incomplete unit.
void decode_utf16(std::string& raw, std::size_t high, std::string& text) {
    constexpr unsigned byte_order_mark = 0xFEFF;
    std::size_t at = 0;
    for (; at + 1 < raw.size(); at += 2) {
        const auto high_byte = static_cast<unsigned char>(raw[at + high]);
        const unsigned unit = high_byte * 256U + static_cast<unsigned char>(raw[at + 1 - high]);
        if (unit != byte_order_mark)
            append_utf8(text, unit);
    }
    raw.erase(0, at);
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
        if (line.starts_line)
            is_json = looks_like_json(text);
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

LogText::Encoding LogText::encoding_of(std::string_view bytes) {
    const bool zeros_first = zeros_at(bytes, 0), zeros_second = zeros_at(bytes, 1);
    if (bytes.starts_with("\xFF\xFE") || (zeros_second && !zeros_first))
        return Encoding::utf16_little;
    if (bytes.starts_with("\xFE\xFF") || (zeros_first && !zeros_second))
        return Encoding::utf16_big;
    return Encoding::bytes;
}

bool LogText::append_to(std::string& text) {
    const std::size_t enough = text.size() + block_size;
    while (text.size() < enough && !at_end_) {
        const std::size_t before = raw_.size();
        raw_.resize(before + read_size);
        const std::size_t got = read_(raw_.data() + before, read_size);
        raw_.resize(before + got);
        at_end_ = got == 0;
        if (encoding_ == Encoding::unknown && (at_end_ || raw_.size() >= sample_size))
            encoding_ = encoding_of(raw_);
        if (encoding_ == Encoding::bytes) {
            text += raw_;
            raw_.clear();
        } else if (encoding_ != Encoding::unknown) {
            decode_utf16(raw_, encoding_ == Encoding::utf16_little ? 1 : 0, text);
        }
    }
    return !at_end_;
}

}  // namespace rnncheck::log_reader
