// What every text that matches a pattern holds, so that a few bytes tell where matching is worth while.
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
        line_start,  ///< the beginning of a line
        gap,         ///< anything
    };
    Kind kind = Kind::one;
    std::bitset<256> bytes;
    std::optional<char> byte = {};  ///< where it is the only one

    bool operator==(const Step&) const = default;
};
using Steps = std::vector<Step>;

/// A core, the bytes to search a log for, and what stands before and after it.
class Phrase {
  public:
    static constexpr std::size_t shortest_core = 3;
    static constexpr std::size_t longest_core = 8;

    /// Of `steps`, which have no gaps, the known bytes at [begin, begin + size) are the core.
    Phrase(const Steps& steps, std::size_t begin, std::size_t size);

    const std::string& core() const { return core_; }

    /// False where the pattern cannot match around the core at `place`, whatever is undone to the text. `text` is not
    /// the beginning of a log.
    bool may_stand(std::string_view text, std::size_t place) const;

    /// Bytes that may be the nearest after or before the core that are no white space, unless something is undone.
    std::bitset<256> nearest_after() const { return nearest(after_); }
    std::bitset<256> nearest_before() const { return nearest(before_); }

    /// Bytes that every match holds somewhere before or after this phrase; "" for none.
    std::string companion_before, companion_after;

    bool operator==(const Phrase&) const = default;

  private:
    static std::bitset<256> nearest(const Steps& steps);

    std::string core_;
    Steps before_;  ///< from the core to the left
    Steps after_;
    bool blanks_count_ = false;  ///< a phrase at the beginning of a line is never found in text without white space
};

/// Whether what stands at `place`, or ends there, may stand for something else (undo.hpp).
bool may_be_undone(std::string_view text, std::size_t place);
bool may_end_undone(std::string_view text, std::size_t place);

/// Each text that `pattern` of the table log_signatures matches, in whichever form (passage.hpp), holds one of these.
/// InputError where there is nothing to search for.
std::vector<Phrase> phrases_of(std::string_view pattern);

/// How much the best phrase on this way is worth: how rare what is searched for and compared is, roughly, in bits.
/// Negative where there is none.
double worth(const Steps& way);

}  // namespace rnncheck::log_reader
