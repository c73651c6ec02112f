#include "base/text.hpp"

#include <algorithm>
#include <charconv>

namespace rnncheck {

namespace {

bool is_continuation(unsigned char c) {
    return (c & 0xC0) == 0x80;
}

/// Bytes of the valid UTF-8 sequence that starts `text`, 0 when there is none (RFC 3629: no overlong forms, no
/// surrogates, nothing above U+10FFFF).
std::size_t utf8_length(std::string_view text) {
    const auto at = [&](std::size_t i) { return static_cast<unsigned char>(i < text.size() ? text[i] : 0); };
    const unsigned char first = at(0);
    if (first < 0x80) return 1;
    const auto second_within = [&](unsigned char low, unsigned char high) { return at(1) >= low && at(1) <= high; };
    if (first >= 0xC2 && first <= 0xDF) return is_continuation(at(1)) ? 2 : 0;
    if (first >= 0xE0 && first <= 0xEF) {
        const bool second = second_within(first == 0xE0 ? 0xA0 : 0x80, first == 0xED ? 0x9F : 0xBF);
        return second && is_continuation(at(2)) ? 3 : 0;
    }
    if (first >= 0xF0 && first <= 0xF4) {
        const bool second = second_within(first == 0xF0 ? 0x90 : 0x80, first == 0xF4 ? 0x8F : 0xBF);
        return second && is_continuation(at(2)) && is_continuation(at(3)) ? 4 : 0;
    }
    return 0;
}

/// Marks that end a line or turn the direction of text, so that it reads as what it is not: U+200E, U+200F,
/// U+2028..U+202E, U+2066..U+2069; and what no XML document may hold: U+FFFE, U+FFFF.
bool misleads(std::string_view sequence) {
    if (sequence == "\xEF\xBF\xBE" || sequence == "\xEF\xBF\xBF") return true;
    if (sequence.size() != 3 || sequence[0] != '\xE2') return false;
    const auto last = static_cast<unsigned char>(sequence[2]);
    if (sequence[1] == '\x80') return last == 0x8E || last == 0x8F || (last >= 0xA8 && last <= 0xAE);
    return sequence[1] == '\x81' && last >= 0xA6 && last <= 0xA9;
}

/// C0, DEL, and the C1 controls U+0080..U+009F that terminals obey as well.
bool is_control(std::string_view sequence) {
    const auto first = static_cast<unsigned char>(sequence[0]);
    if (sequence.size() == 1) return first < 0x20 || first == 0x7F;
    if (sequence == "\xD8\x9C") return true;  // U+061C turns the direction
    if (sequence.size() == 2) return first == 0xC2 && static_cast<unsigned char>(sequence[1]) < 0xA0;
    return misleads(sequence);
}

/// \xNN for each byte.
void append_escapes(std::string& out, std::string_view bytes) {
    for (const char c : bytes) append_hex(out += "\\x", static_cast<unsigned char>(c));
}

/// The first character of `text`, or its first byte where that begins none; `valid` says which.
std::string_view next_character(std::string_view text, bool& valid) {
    const std::size_t length = utf8_length(text);
    valid = length > 0;
    return text.substr(0, std::max<std::size_t>(length, 1));
}

int hex_digit(char c) {
    if (is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
}

constexpr std::size_t escape_length = 4;  // \xNN

/// The byte that an escape of reversible_utf8 at the start of `text` means, -1 when there is none.
int escaped_byte(std::string_view text) {
    if (text.size() < escape_length || !text.starts_with("\\x")) return -1;
    const int high = hex_digit(text[2]);
    const int low = hex_digit(text[3]);
    if (high < 0 || low < 0) return -1;
    const int byte = high * 16 + low;
    return byte >= 0x80 || byte == '\\' ? byte : -1;
}

}  // namespace

bool is_number(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, is_digit);
}

void append_hex(std::string& out, unsigned char byte) {
    constexpr std::string_view digits = "0123456789abcdef";
    out += digits[byte >> 4];
    out += digits[byte & 15];
}

std::string_view trim(std::string_view text) {
    constexpr std::string_view space = " \t\r\n\f\v";
    const auto first = text.find_first_not_of(space);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(space) - first + 1);
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
        text.replace(at, from.size(), to);
}

std::string lower(std::string_view text) {
    std::string small(text);
    for (char& c : small)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return small;
}

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    if (text.empty()) return parts;
    while (true) {
        const auto at = text.find(separator);
        parts.emplace_back(text.substr(0, at));
        if (at == std::string_view::npos) return parts;
        text.remove_prefix(at + 1);
    }
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
    std::string out;
    for (const auto& part : parts) {
        if (!out.empty()) out += separator;
        out += part;
    }
    return out;
}

std::string join_with_and(const std::vector<std::string>& parts) {
    if (parts.size() < 2) return parts.empty() ? "" : parts[0];
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
    return text.starts_with("##[") ||
           (is_word && text.size() > 2 && text.starts_with("::") && text[2] >= 'a' && text[2] <= 'z');
}

std::string escaped(std::string_view text, std::size_t most) {
    std::string out;
    while (!text.empty()) {
        if (out.size() >= most) return out + "...";
        bool valid = false;
        const std::string_view sequence = next_character(text, valid);
        if (sequence == "\n")
            out += "\\n";
        else if (!valid || is_control(sequence) || begins_command(text, out.empty() || out.back() == ' '))
            append_escapes(out, sequence);
        else
            out += sequence;
        text.remove_prefix(sequence.size());
    }
    return out;
}

std::string valid_utf8(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        bool valid = false;
        const std::string_view sequence = next_character(text, valid);
        if (valid)
            out += sequence;
        else
            append_escapes(out, sequence);
        text.remove_prefix(sequence.size());
    }
    return out;
}

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
        const int byte = escaped_byte(text.substr(at));
        out += byte < 0 ? '\\' : static_cast<char>(byte);
        text.remove_prefix(at + (byte < 0 ? 1 : escape_length));
    }
    return out.append(text);
}

std::string short_number(double value, int digits) {
    char buffer[40];
    const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, digits);
    return error == std::errc{} ? std::string(buffer, end) : "?";
}

std::string counts_in_words(const std::vector<CountedThing>& things) {
    std::vector<std::string> parts;
    for (const CountedThing& thing : things)
        if (!thing.words.empty()) parts.push_back(thing.words);
    return join(parts, ", ");
}

std::string shell_quoted(std::string_view text) {
    constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+=:@,%";
    if (!text.empty() && text.find_first_not_of(plain) == std::string_view::npos) return std::string(text);
    std::string quoted = "'";
    for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

}  // namespace rnncheck
