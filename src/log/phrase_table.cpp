#include "log/phrase_table.hpp"

#include <map>

namespace rnncheck::log_reader {

namespace {

using ByCore = std::map<std::string, PhrasesOfCore>;

void add(ByCore& by_core, const std::vector<Signature>& signatures, std::size_t signature, const Rarity& rarity) {
    for (Phrase& phrase : signatures[signature].phrases(rarity)) {
        const std::string core = phrase.core();
        by_core[core].all.push_back({signature, std::make_shared<const Phrase>(std::move(phrase))});
    }
}

PhraseTable table_of(ByCore by_core) {
    PhraseTable table;
    for (auto& [core, phrases] : by_core) {
        if (phrases.all.empty()) continue;
        phrases.core = core;
        phrases.unite();
        table.push_back(std::move(phrases));
    }
    return table;
}

}  // namespace

void PhrasesOfCore::unite() {
    before = after = {};
    for (const Of& of : all)
        for (std::size_t i = 0; i < Neighbours::most; ++i) {
            before[i] |= of.phrase->nearest_before()[i];
            after[i] |= of.phrase->nearest_after()[i];
        }
    before_tells_more = before[0].count() < after[0].count();
}

PhraseTable phrase_table(const std::vector<Signature>& signatures) {
    ByCore by_core;
    for (std::size_t s = 0; s < signatures.size(); ++s) add(by_core, signatures, s, rarity_in_any_log());
    return table_of(std::move(by_core));
}

PhraseTable with_rarer(PhraseTable table, const std::vector<Signature>& signatures,
                       const std::set<std::size_t>& to_replace, const Rarity& rarity) {
    ByCore by_core;
    for (PhrasesOfCore& phrases : table) {
        std::erase_if(phrases.all, [&](const PhrasesOfCore::Of& of) { return to_replace.contains(of.signature); });
        by_core[phrases.core].all = std::move(phrases.all);
    }
    for (const std::size_t signature : to_replace) add(by_core, signatures, signature, rarity);
    return table_of(std::move(by_core));
}

std::vector<std::string> cores_of(const PhraseTable& table) {
    std::vector<std::string> cores;
    for (const PhrasesOfCore& phrases : table) cores.push_back(phrases.core);
    return cores;
}

}  // namespace rnncheck::log_reader
