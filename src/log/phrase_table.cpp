#include "log/phrase_table.hpp"

#include <map>

namespace rnncheck::log_reader {

void PhrasesOfCore::unite() {
    before = after = {};
    for (const Of& of : all)
        for (std::size_t i = 0; i < Neighbours::most; ++i) {
            before[i] |= of.phrase.nearest_before()[i];
            after[i] |= of.phrase.nearest_after()[i];
        }
}

PhraseTable phrase_table(const std::vector<Signature>& signatures, const Rarity& rarity,
                         const std::function<bool(std::size_t)>& is_left_out) {
    std::map<std::string, PhrasesOfCore> by_core;
    for (std::size_t s = 0; s < signatures.size(); ++s) {
        if (is_left_out(s)) continue;
        for (const Phrase& phrase : signatures[s].phrases(rarity)) by_core[phrase.core()].all.push_back({s, phrase});
    }
    PhraseTable table;
    for (auto& [core, phrases] : by_core) {
        phrases.unite();
        table.cores.push_back(core);
        table.phrases.push_back(std::move(phrases));
    }
    return table;
}

}  // namespace rnncheck::log_reader
