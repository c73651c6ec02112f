// What stands next to a place in a log.
#pragma once

#include <array>
#include <string_view>

#include "log/pattern_steps.hpp"

namespace rnncheck::log_reader {

inline bool is_blank(char c) {
    return static_cast<unsigned char>(c) <= ' ' || c == 0x7F;
}

/// In a large log a match begins and ends no more lines away from its core.
constexpr std::size_t lines_around = 3;

/// What the bytes around a place say of something that might stand there.
enum class Verdict {
    possible,
    refuted,
    refuted_by_lines,  ///< wherever equal lines stand around an equal line, whatever digits are in them
    refuted_by_two,    ///< the same of the line and the one behind it
    refuted_by_line,   ///< and of the line alone
};

/// When so many line ends lie between a place and what refutes it.
inline Verdict refuted_after(std::size_t line_ends) {
    if (line_ends > 1) return Verdict::refuted_by_lines;
    return line_ends == 1 ? Verdict::refuted_by_two : Verdict::refuted_by_line;
}
inline Verdict refuted_before(std::size_t line_ends) {
    return line_ends > 0 ? Verdict::refuted_by_lines : Verdict::refuted_by_line;
}

inline bool has_digit(std::string_view text) {
    return text.find_first_of("0123456789") != text.npos;
}

/// Whether what stands at `place`, or ends there, may stand for something else (undo.hpp).
bool may_be_undone(std::string_view text, std::size_t place);
bool may_end_undone(std::string_view text, std::size_t place);

/// Whether some digits are in `bytes` and others are not.
bool tells_digits_apart(const std::bitset<256>& bytes);

/// The visible bytes next to a core, the nearest first, as far as nothing there may stand for something else.
struct Neighbours {
    static constexpr std::size_t most = 4;
    std::array<unsigned char, most> bytes{};
    std::size_t count = 0;
    std::size_t line_ends = 0;  ///< that were passed
};

/// For each of the nearest visible bytes, those that it may be.
using NearestSets = std::array<std::bitset<256>, Neighbours::most>;

/// Which bytes a walk along straight steps may meet, the nearest first; behind its end, or the beginning of a line,
/// any; any digit where one is. Blanks are left out: whoever may take one may also be passed.
NearestSets nearest_sets(const Steps& steps);

bool may_be(const NearestSets& sets, const Neighbours& neighbours);

/// Notes what stands next to a core; stops, and refutes, where that is not in `sets`.
Verdict look_after(std::string_view text, std::size_t core_end, const NearestSets& sets, Neighbours& seen);
Verdict look_before(std::string_view text, std::size_t core_begin, const NearestSets& sets, Neighbours& seen);

}  // namespace rnncheck::log_reader
