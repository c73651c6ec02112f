// Terminals, CI logs and JSON each have bytes that do harm in them; all texts of the
// examined machine pass through escaped() or reversible_utf8() before they are written.
#include "base/text.hpp"

#include <algorithm>
#include <charconv>

#include "base/lists.hpp"

namespace rnncheck {

namespace {

/// A character of UTF-8, or a byte that begins none.
struct Character {
    std::string_view bytes;
    std::optional<char32_t> code;
};

/// The first of `text` by RFC 3629: no overlong forms, no
/// surrogates, nothing above U+10FFFF.
Character first_character(std::string_view text) {
    // by length in bytes, the least code that needs so many
    constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const auto first = static_cast<unsigned char>(text[0]);
    const Character byte{text.substr(0, 1), std::nullopt};
    if (first < 0x80)
        return {byte.bytes, first};
    std::size_t length = 2;
    if (first >= 0xE0)
        length = 3;
    if (first >= 0xF0)
        length = 4;
    if (first < 0xC0 || first >= 0xF8 || text.size() < length)
        return byte;
    char32_t code = first & (0x7F >> length);
    for (const char c : text.substr(1, length - 1)) {
        if ((c & 0xC0) != 0x80)
            return byte;
        code = code << 6 | (c & 0x3F);
    }
    const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
    if (code < least[length] || is_surrogate || code > 0x10FFFF)
        return byte;
    return {text.substr(0, length), code};
}

/// C0, DEL, and C1, which terminals obey as well; marks that end a line or
/// turn the direction of text, so that it reads as what it is not; and
/// what no XML document may hold.
bool is_control(char32_t code) {
    constexpr std::pair<char32_t, char32_t> ranges[] = {
        {0, 0x1F},
        {0x7F, 0x9F},
        {0x61C, 0x61C},
        {0x200E, 0x200F},
        {0x2028, 0x202E},
        {0x2066, 0x2069},
        {0xFFFE, 0xFFFF}};
    return std::ranges::any_of(
        ranges, [&](const auto& range) { return range.first <= code && code <= range.second; });
}

/// \xNN for each byte.
void append_escapes(std::string& out, std::string_view bytes) {
    for (const char c : bytes)
        append_hex(out += "\\x", static_cast<unsigned char>(c));
}

constexpr std::string_view hex_digits = "0123456789abcdef";
constexpr std::size_t escape_length = 4;  // \xNN

/// The byte that an escape of reversible_utf8 at the start of `text`
/// means, -1 when there is none.
int escaped_byte(std::string_view text) {
    if (text.size() < escape_length || !text.starts_with("\\x"))
        return -1;
    const std::size_t high = hex_digits.find(text[2]), low = hex_digits.find(text[3]);
    if (high == std::string_view::npos || low == std::string_view::npos)
        return -1;
    const int byte = static_cast<int>(high * 16 + low);
    if (byte < 0x80 && byte != '\\')
        return -1;
    return byte;
}

}  // namespace

bool is_number(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, is_digit);
}

void append_hex(std::string& out, unsigned char byte) {
    out += hex_digits[byte >> 4];
    out += hex_digits[byte & 15];
}

std::string_view trim(std::string_view text) {
    constexpr std::string_view space = " \t\r\n\f\v";
    const auto first = text.find_first_not_of(space);
    if (first == text.npos)
        return {};
    return text.substr(first, text.find_last_not_of(space) - first + 1);
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
        text.replace(at, from.size(), to);
}

/// Not std::tolower, which depends on the locale, and in Turkish
/// turns I into another letter.
std::string lower(std::string_view text) {
    std::string small(text);
    for (char& c : small)
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c - 'A' + 'a');
    return small;
}

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    if (text.empty())
        return parts;
    while (true) {
        const auto at = text.find(separator);
        parts.emplace_back(text.substr(0, at));
        if (at == std::string_view::npos)
            return parts;
        text.remove_prefix(at + 1);
    }
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
    std::string out;
    for (const auto& part : parts) {
        if (!out.empty())
            out += separator;
        out += part;
    }
    return out;
}

std::string join_with_and(const std::vector<std::string>& parts) {
    if (parts.empty())
        return "";
    if (parts.size() == 1)
        return parts[0];
    return join({parts.begin(), parts.end() - 1}, ", ") + " and " + parts.back();
}

std::string file_name(std::string_view path) {
    return std::string(path.substr(path.rfind('/') + 1));
}

std::string directory_of(std::string_view path) {
    return std::string(path.substr(0, path.rfind('/')));
}

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

/// GitHub's runner obeys "::command" where a line begins and "##[command]" anywhere:
/// https://github.com/actions/runner/blob/main/src/Runner.Common/ActionCommand.cs
static bool begins_command(std::string_view text, bool is_word) {
    return text.starts_with("##[") || (is_word && text.size() > 2 && text.starts_with("::") &&
                                       text[2] >= 'a' && text[2] <= 'z');
}

/// Cut between characters, never inside one.
std::string escaped(std::string_view text, std::size_t most) {
    std::string out;
    while (!text.empty()) {
        if (out.size() >= most)
            return out + "...";
        const auto [bytes, code] = first_character(text);
        if (code == U'\n')
            out += "\\n";
        else if (
            !code || is_control(*code) || begins_command(text, out.empty() || out.back() == ' '))
            append_escapes(out, bytes);
        else
            out += bytes;
        text.remove_prefix(bytes.size());
    }
    return out;
}

std::string valid_utf8(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const auto [bytes, code] = first_character(text);
        if (code)
            out += bytes;
        else
            append_escapes(out, bytes);
        text.remove_prefix(bytes.size());
    }
    return out;
}

/// Only a backslash that begins what looks like an escape is escaped itself:
/// Windows paths remain readable.
std::string reversible_utf8(std::string_view text) {
    std::string out;
    for (auto at = text.find('\\'); at != std::string_view::npos; at = text.find('\\')) {
        out += valid_utf8(text.substr(0, at));
        out += escaped_byte(text.substr(at)) < 0 ? "\\" : "\\x5c";
        text.remove_prefix(at + 1);
    }
    return out + valid_utf8(text);
}

std::string original_bytes(std::string_view text) {
    std::string out;
    for (auto at = text.find('\\'); at != std::string_view::npos; at = text.find('\\')) {
        out += text.substr(0, at);
        text.remove_prefix(at);
        const int byte = escaped_byte(text);
        if (byte < 0) {
            out += '\\';
            text.remove_prefix(1);
        } else {
            out += static_cast<char>(byte);
            text.remove_prefix(escape_length);
        }
    }
    return out.append(text);
}

/// std::to_chars, as printf writes a decimal comma in some locales.
std::string short_number(double value, int digits) {
    char buffer[40];
    const auto [end, error] =
        std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, digits);
    if (error != std::errc{})
        return "?";
    return {buffer, end};
}

std::string listed(std::vector<std::string> parts) {
    std::erase(parts, "");
    return join(parts, ", ");
}

std::string counts_in_words(const std::vector<CountedThing>& things) {
    return listed(mapped(things, &CountedThing::words));
}

std::string shell_quoted(std::string_view text) {
    constexpr std::string_view plain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+=:@,%";
    if (!text.empty() && text.find_first_not_of(plain) == std::string_view::npos)
        return std::string(text);
    std::string quoted = "'";
    for (const char c : text)
        if (c == '\'')
            quoted += "'\\''";
        else
            quoted += c;
    return quoted + "'";
}

}  // namespace rnncheck
