// What a large log is searched for: the phrases of all signatures, by their cores.
#pragma once

#include <functional>

#include "log/phrase.hpp"
#include "log/signatures.hpp"

namespace rnncheck::log_reader {

/// The phrases that share a core.
struct PhrasesOfCore {
    struct Of {
        std::size_t signature = 0;
        Phrase phrase;
    };
    std::vector<Of> all;
    NearestSets before{}, after{};  ///< what one of the phrases allows next to the core

    /// Learns `before` and `after` from `all`.
    void unite();
};

struct PhraseTable {
    std::vector<std::string> cores;
    std::vector<PhrasesOfCore> phrases;  ///< in the order of `cores`
};

/// The phrases of signatures that are not left out, as rare as the log lets them be.
PhraseTable phrase_table(
    const std::vector<Signature>& signatures, const Rarity& rarity = rarity_in_any_log(),
    const std::function<bool(std::size_t)>& is_left_out = [](std::size_t) { return false; });

}  // namespace rnncheck::log_reader
