// What a large log is searched for: the phrases of all signatures, by their cores.
#pragma once

#include <memory>
#include <set>

#include "log/phrase.hpp"
#include "log/signatures.hpp"
#include "log/word_search.hpp"

namespace rnncheck::log_reader {

/// The phrases that share a core.
struct PhrasesOfCore {
    struct Of {
        std::size_t signature = 0;
        std::shared_ptr<const Phrase> phrase;
        std::size_t words_before = 0, words_after = 0;  ///< of its companions, in PhraseTable::words
    };
    std::string core;
    std::vector<Of> all;
    NearestSets before{}, after{};   ///< what one of the phrases allows next to the core
    bool before_tells_more = false;  ///< looking there first is quicker

    /// Learns the rest from `all`.
    void unite();
};

struct PhraseTable {
    std::vector<PhrasesOfCore> cores;
    std::vector<std::shared_ptr<const WordSearch>> words;  ///< several phrases share them
};

PhraseTable phrase_table(const std::vector<Signature>& signatures);

/// The same table, where the phrases of the signatures `to_replace` are as rare as `rarity` lets them be.
PhraseTable with_rarer(PhraseTable table, const std::vector<Signature>& signatures,
                       const std::set<std::size_t>& to_replace, const Rarity& rarity);

std::vector<std::string> cores_of(const PhraseTable& table);

}  // namespace rnncheck::log_reader
