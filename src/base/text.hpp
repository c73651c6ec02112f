// Small string helpers. Knows nothing of NVIDIA; may not read or print anything.
#pragma once

#include <charconv>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rnncheck {

/// Without white space at both ends; a view into `text`.
std::string_view trim(std::string_view text);

/// Replaces every `from`; the inserted text is not searched again.
void replace_all(std::string& text, std::string_view from, std::string_view to);

/// ASCII, in every locale, unlike std::isdigit; safe for negative chars.
inline bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

inline bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
inline bool is_letter_or_digit(char c) {
    return is_letter(c) || is_digit(c);
}

/// Not empty, digits alone.
bool is_number(std::string_view text);

/// The decimal number that the text begins with, and the one that is the whole
/// text; nothing where there is none, or it is out of range.
template <class Number = int>
std::optional<Number> leading_number(std::string_view text, bool whole = false) {
    Number number{};
    const char* const end_of_text = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), end_of_text, number);
    if (error != std::errc() || (whole && end != end_of_text))
        return std::nullopt;
    return number;
}
template <class Number = int>
std::optional<Number> number_from(std::string_view text) {
    return leading_number<Number>(text, true);
}

/// Two lower-case hexadecimal digits.
void append_hex(std::string& out, unsigned char byte);

/// ASCII letters in lower case.
std::string lower(std::string_view text);

/// Splits at every `separator`; an empty text gives no parts, "a::b" gives "a", "", "b".
std::vector<std::string> split(std::string_view text, char separator);

/// join({"a", "b"}, "; ") is "a; b"; empty parts are kept, unlike in listed().
std::string join(const std::vector<std::string>& parts, std::string_view separator);

/// "a", "a and b", "a, b and c".
std::string join_with_and(const std::vector<std::string>& parts);

/// Those that are not empty: "a, b".
std::string listed(std::vector<std::string> parts);

/// "/usr/lib/libcudnn.so.9" is the file libcudnn.so.9 in the directory /usr/lib.
std::string file_name(std::string_view path);
std::string directory_of(std::string_view path);

/// Whether `part` occurs anywhere in the text; case counts.
bool contains(std::string_view text, std::string_view part);

/// How concat() writes a part: the name of an enumeration's value, the digits
/// of a whole number, anything else as it is.
template <class Part>
void append_part(std::string& text, const Part& part) {
    if constexpr (requires { names_of(part); })
        text += names_of(part)[static_cast<std::size_t>(part)];
    else if constexpr (std::integral<Part> && !std::same_as<Part, char>)
        text += std::to_string(part);
    else
        text += part;
}

/// Texts, whole numbers and names of enumerations as one text: concat("GPU ", 3, ':').
std::string concat(const auto&... parts) {
    std::string text;
    (append_part(text, parts), ...);
    return text;
}

/// Text from outside made safe for a terminal and a CI log: control characters,
/// invalid UTF-8 and the beginning of a workflow command become \xNN, line ends
/// \n, longer than `most` bytes is cut with "...".
std::string escaped(std::string_view text, std::size_t most = 4096);

/// Valid UTF-8 for people: each byte that is not part of a valid sequence becomes \xNN.
std::string valid_utf8(std::string_view text);

/// Valid UTF-8 from which original_bytes gets every byte back: as valid_utf8,
/// and a backslash of the text's own that would be taken for such an escape
/// (\x80 to \xff, \x5c) becomes \x5c.
std::string reversible_utf8(std::string_view text);
std::string original_bytes(std::string_view text);

/// Short decimal form, "1.5e-07", "0.25": enough digits to compare by
/// eye, the same in every locale.
std::string short_number(double value, int digits = 3);

/// "1 copy", "3 copies".
std::string pluralized(std::integral auto count, std::string_view one, std::string_view many) {
    return std::to_string(count) + ' ' + std::string(count == 1 ? one : many);
}

/// "1 problem, 3 warnings" of what there is any of.
struct CountedThing {
    std::string words;
    CountedThing(std::integral auto count, std::string_view one, std::string_view many)
        : words(count > 0 ? pluralized(count, one, many) : "") {
    }
};
std::string counts_in_words(const std::vector<CountedThing>& things);

/// One word of a shell's command line: as it is where no shell takes anything in it for its own;
/// else in single quotes, those in it kept. POSIX shell, 2.2.2:
/// https://pubs.opengroup.org/onlinepubs/9699919799/utilities/V3_chap02.html
std::string shell_quoted(std::string_view text);

}  // namespace rnncheck
