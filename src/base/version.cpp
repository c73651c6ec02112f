// Numbers of at most nine digits always fit into an int.
#include "base/version.hpp"

#include <algorithm>
#include <span>

#include "base/lists.hpp"
#include "base/text.hpp"

namespace rnncheck {

/// Anything beside digits and dots is rejected, as "12.x" or "9.1rc1" cannot be compared.
std::optional<Version> parse_version(std::string_view text) {
    Version version;
    std::string_view rest = text;
    for (int& part : version.parts) {
        const std::string_view digits = rest.substr(0, rest.find('.'));
        if (!is_number(digits) || digits.size() > 9)
            return std::nullopt;
        part = *number_from(digits);
        if (digits.size() == rest.size()) {
            version.text = text;
            return version;
        }
        rest.remove_prefix(digits.size() + 1);
    }
    return std::nullopt;
}

/// A run that follows a letter, a digit or a dot is the end of another word:
/// the 11 in "cu11.8" is no version.
std::optional<Version> find_version(std::string_view text, int min_parts) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (!is_digit(text[i]) ||
            (i > 0 && (is_letter_or_digit(text[i - 1]) || text[i - 1] == '.')))
            continue;
        std::string_view run = text.substr(i, text.find_first_not_of("0123456789.", i) - i);
        while (run.ends_with('.'))
            run.remove_suffix(1);
        if (std::ranges::count(run, '.') + 1 >= min_parts)
            if (auto version = parse_version(run))
                return version;
        i += run.size();
    }
    return std::nullopt;
}

/// Prints without zeros in front: only parse_version keeps the vendor's own text.
static Version version_of(std::span<const int> numbers) {
    Version version;
    version.text = join(mapped(numbers, [](int number) { return std::to_string(number); }), ".");
    std::ranges::copy(
        numbers.first(std::min(numbers.size(), version.parts.size())), version.parts.begin());
    return version;
}

Version make_version(std::initializer_list<int> numbers) {
    return version_of({numbers.begin(), numbers.size()});
}

Version shortened(const Version& version, std::size_t numbers) {
    return version_of(std::span(version.parts).first(numbers));
}

std::optional<Version> cuda_version_from_number(int number) {
    if (number <= 0)
        return std::nullopt;
    return make_version({number / 1000, number % 1000 / 10});
}

/// Both codings in one function: no version before 9 reached 90000. Larger
/// numbers than 100,000,000 are what a damaged library returns.
std::optional<Version> cudnn_version_from_number(std::size_t number) {
    if (number == 0 || number > 100'000'000)
        return std::nullopt;
    const int n = static_cast<int>(number);
    if (n >= 90'000)
        return make_version({n / 10'000, n / 100 % 100, n % 100});
    return make_version({n / 1000, n / 100 % 10, n % 100});
}

}  // namespace rnncheck
