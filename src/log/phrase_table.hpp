// What a large log is searched for: the phrases of all signatures, by their cores.
#pragma once

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
    std::bitset<256> before, after;  ///< the nearest bytes that one of the phrases allows

    /// False where what stands next to the core at `place` refutes them all.
    bool may_stand(std::string_view text, std::size_t place, std::size_t core_size) const;
};

struct PhraseTable {
    std::vector<std::string> cores;
    std::vector<PhrasesOfCore> phrases;  ///< in the order of `cores`
};

PhraseTable phrase_table(const std::vector<Signature>& signatures);

}  // namespace rnncheck::log_reader
