// Dotted version numbers as NVIDIA writes them. Knows no product; may not read anything.
#pragma once

#include <array>
#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace rnncheck {

/// "550.54.14", "12.4", "9.19.0", "8.6": one to four numbers. Compares by
/// number, missing parts count as 0, so 12.4 == 12.4.0; prints as it was
/// written, so 580.65.06 keeps its zero.
struct Version {
    std::array<int, 4> parts{};
    std::string text;

    int major() const {
        return parts[0];
    }
    int minor() const {
        return parts[1];
    }

    friend bool operator==(const Version& a, const Version& b) {
        return a.parts == b.parts;
    }
    friend std::strong_ordering operator<=>(const Version& a, const Version& b) {
        return a.parts <=> b.parts;
    }
};

/// Nothing but digits and single dots, up to four numbers of at most nine
/// digits; anything else is no version.
std::optional<Version> parse_version(std::string_view text);

/// The first version-like run in `text` ("NVRM version: ... 535.104.05 ..."),
/// with at least `min_parts` numbers.
std::optional<Version> find_version(std::string_view text, int min_parts = 2);

/// From numbers: make_version({9, 19, 0}) prints "9.19.0".
Version make_version(std::initializer_list<int> numbers);

/// Its first numbers: 12.4 is 12.4.1 shortened to 2.
Version shortened(const Version& version, std::size_t numbers);

/// CUDA's own coding, 1000 * major + 10 * minor (13010 is 13.1), as cuDriverGetVersion
/// and cudaRuntimeGetVersion return it. 0 or less means that there is none.
std::optional<Version> cuda_version_from_number(int number);

/// cuDNN's coding: before 9 it is 1000 * major + 100 * minor + patch (8907 is
/// 8.9.7), since 9 it is 10000 * major + 100 * minor + patch (91900 is 9.19.0).
std::optional<Version> cudnn_version_from_number(std::size_t number);

}  // namespace rnncheck
