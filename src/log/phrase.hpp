// What every text that matches a pattern holds, so that a few bytes tell where matching is worth while.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "log/companion.hpp"
#include "log/neighbours.hpp"
#include "log/rarity.hpp"

namespace rnncheck::log_reader {

/// A core, the bytes to search a log for, and what stands before and after it.
class Phrase {
  public:
    static constexpr std::size_t shortest_core = 3;
    static constexpr std::size_t longest_core = 8;

    /// Of `steps`, which have no gaps, the known bytes at [begin, begin + size) are the core.
    Phrase(const Steps& steps, std::size_t begin, std::size_t size);

    const std::string& core() const { return core_; }

    /// Whether the pattern can match around the core at `place`, whatever is undone to the text. `text` is not the
    /// beginning of a log.
    Verdict may_stand(std::string_view text, std::size_t place) const;

    /// What may be next to the core; a quick answer before may_stand().
    const NearestSets& nearest_after() const { return nearest_after_; }
    const NearestSets& nearest_before() const { return nearest_before_; }

    /// Of the way's other pieces, the rarest core before and after.
    std::optional<Companion> companion_before, companion_after;

    bool operator==(const Phrase&) const = default;

  private:
    std::string core_;
    Steps before_;  ///< from the core to the left
    Steps after_;
    NearestSets nearest_before_, nearest_after_;
    bool tells_digits_apart_ = false;
    bool blanks_count_ = false;  ///< a phrase at the beginning of a line is never found in text without white space
};

/// Each text that `pattern` of the table log_signatures matches, in whichever form (passage.hpp), holds one of these.
/// The rarest is searched for. InputError where there is nothing to search for.
std::vector<Phrase> phrases_of(std::string_view pattern, const Rarity& rarity = rarity_in_any_log());

/// How much the best phrase on this way is worth: how rare what is searched for and compared is, roughly, in bits.
/// Negative where there is none.
double worth(const Steps& way);

/// Known bytes that every text on this way holds, in pieces no longer than a core.
std::vector<std::string> bytes_to_search_for(const Steps& way);

}  // namespace rnncheck::log_reader
