// Reads the patterns of the table log_signatures.
#pragma once

#include <bitset>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rnncheck::log_reader {

/// A piece of a pattern.
struct Step {
    enum class Kind {
        one,         ///< one of `bytes`
        many,        ///< any number of `bytes`, none too
        blank,       ///< white space or none
        line_start,  ///< the beginning of a line, or the end of the text
        boundary,    ///< no letter, digit or underscore on both sides
        gap,         ///< any number of `bytes`, lines may begin there
    };
    Kind kind = Kind::one;
    std::bitset<256> bytes;
    std::optional<char> byte = {};         ///< where it is the only one
    std::size_t most = 1;                  ///< visible bytes that it stands for at most
    std::vector<std::string> any_of = {};  ///< a gap holds one of these, where there are any

    static constexpr std::size_t unlimited = std::size_t{1} << 20;

    bool operator==(const Step&) const = default;
};
using Steps = std::vector<Step>;

/// The ways a pattern can be matched, as far as they differ: each text that matches follows one of them. What is not
/// told apart is a gap. `small_sets_apart` tells the members of small sets of bytes apart. InputError for a pattern
/// that is not understood.
std::vector<Steps> ways_of(std::string_view pattern, bool small_sets_apart);

/// Visible bytes of the longest text that follows one of `ways`.
std::size_t longest(const std::vector<Steps>& ways);

}  // namespace rnncheck::log_reader
