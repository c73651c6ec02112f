#include "base/version.hpp"

#include <charconv>

#include "base/text.hpp"

namespace rnncheck {

namespace {

std::size_t length_of_version_at(std::string_view text) {
    std::size_t end = 0;
    while (end < text.size() && is_digit(text[end])) {
        while (end < text.size() && is_digit(text[end])) ++end;
        if (end + 1 < text.size() && text[end] == '.' && is_digit(text[end + 1]))
            ++end;
        else
            break;
    }
    return end;
}

}  // namespace

std::optional<Version> parse_version(std::string_view text) {
    Version version;
    std::size_t part = 0;
    const char* at = text.data();
    const char* const end = text.data() + text.size();
    while (part < version.parts.size()) {
        if (at == end || !is_digit(*at)) return std::nullopt;
        const auto [next, error] = std::from_chars(at, end, version.parts[part]);
        if (error != std::errc{} || next - at > 9) return std::nullopt;
        ++part;
        if (next == end) {
            version.text = text;
            return version;
        }
        if (*next != '.') return std::nullopt;
        at = next + 1;
    }
    return std::nullopt;
}

std::optional<Version> find_version(std::string_view text, int min_parts) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (!is_digit(text[i]) || (i > 0 && (is_letter_or_digit(text[i - 1]) || text[i - 1] == '.'))) continue;
        const std::size_t length = length_of_version_at(text.substr(i));
        const std::string_view candidate = text.substr(i, length);
        int parts = 1;
        for (const char c : candidate) parts += c == '.';
        if (parts >= min_parts) {
            if (auto version = parse_version(candidate)) return version;
        }
        i += length;
    }
    return std::nullopt;
}

Version make_version(std::initializer_list<int> numbers) {
    Version version;
    std::size_t part = 0;
    for (const int number : numbers) {
        if (part > 0) version.text += '.';
        version.text += std::to_string(number);
        version.parts.at(part++) = number;
    }
    return version;
}

std::optional<Version> cuda_version_from_number(int number) {
    if (number <= 0) return std::nullopt;
    return make_version({number / 1000, number % 1000 / 10});
}

std::optional<Version> cudnn_version_from_number(std::size_t number) {
    if (number == 0 || number > 100'000'000) return std::nullopt;
    const int n = static_cast<int>(number);
    if (n >= 90'000) return make_version({n / 10'000, n / 100 % 100, n % 100});
    return make_version({n / 1000, n / 100 % 10, n % 100});
}

}  // namespace rnncheck
