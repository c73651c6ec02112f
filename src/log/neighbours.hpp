// What stands next to a place in a log.
#pragma once

#include <array>
#include <string_view>

#include "log/pattern_steps.hpp"

namespace rnncheck::log_reader {

inline bool is_blank(char c) {
    return static_cast<unsigned char>(c) <= ' ' || c == 0x7F;
}

/// Whether what stands at `place`, or ends there, may stand for something else (undo.hpp).
bool may_be_undone(std::string_view text, std::size_t place);
bool may_end_undone(std::string_view text, std::size_t place);

/// The visible bytes next to a core, the nearest first, as far as nothing there may stand for something else.
struct Neighbours {
    static constexpr std::size_t most = 4;
    std::array<unsigned char, most> bytes{};
    std::size_t count = 0;
};

/// For each of the nearest visible bytes, those that it may be.
using NearestSets = std::array<std::bitset<256>, Neighbours::most>;

/// Which bytes a walk along straight steps may meet, the nearest first; behind its end, or the beginning of a line,
/// any. Blanks are left out: whoever may take one may also be passed.
NearestSets nearest_sets(const Steps& steps);

bool may_be(const NearestSets& sets, const Neighbours& neighbours);

/// Notes what stands next to a core; false, early, where that is not in `sets`.
bool look_after(std::string_view text, std::size_t core_end, const NearestSets& sets, Neighbours& seen);
bool look_before(std::string_view text, std::size_t core_begin, const NearestSets& sets, Neighbours& seen);

}  // namespace rnncheck::log_reader
