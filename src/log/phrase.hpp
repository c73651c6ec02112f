// What every text that matches a pattern holds, so that a few bytes tell where matching is worth while.
#pragma once

#include <bitset>
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

    bool operator==(const Step&) const = default;
};
using Steps = std::vector<Step>;

/// A core, the bytes to search a log for, and what stands before and after it.
class Phrase {
  public:
    static constexpr std::size_t shortest_core = 3;
    static constexpr std::size_t longest_core = 8;

    /// Steps without gaps that hold three known bytes in a row at least.
    explicit Phrase(const Steps& steps);

    const std::string& core() const { return core_; }

    /// False where the pattern cannot match around the core at `place`, whatever is undone to the text.
    bool may_stand(std::string_view text, std::size_t place) const;

    bool operator==(const Phrase&) const = default;

  private:
    std::string core_;
    Steps before_;  ///< from the core to the left
    Steps after_;
};

/// Each text that `pattern` of the table log_signatures matches, in whichever form (passage.hpp), holds one of these.
/// InputError where there is nothing to search for.
std::vector<Phrase> phrases_of(std::string_view pattern);

/// How much the best phrase on this way is worth: how rare what is searched for and compared is, roughly, in bits.
/// Negative where there is none.
double worth(const Steps& way);

/// How rare text is in logs, roughly, in bits.
double rarity(std::string_view text);

}  // namespace rnncheck::log_reader
