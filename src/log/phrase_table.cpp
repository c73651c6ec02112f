#include "log/phrase_table.hpp"

#include <map>

namespace rnncheck::log_reader {

namespace {

using ByCore = std::map<std::string, PhrasesOfCore>;

void add(ByCore& by_core, const std::vector<Signature>& signatures, std::size_t signature, const Rarity& rarity) {
    for (Phrase& phrase : signatures[signature].phrases(rarity)) {
        const std::string core = phrase.core();
        by_core[core].all.push_back({signature, std::make_shared<const Phrase>(std::move(phrase)), 0, 0});
    }
}

/// Numbers the words that are searched for, each set once.
class WordNumbers {
  public:
    explicit WordNumbers(PhraseTable& table) : table_(table) {
        for (std::size_t i = 0; i < table_.words.size(); ++i) numbers_.emplace(table_.words[i]->words(), i);
    }

    std::size_t of(const std::optional<Companion>& companion) {
        if (!companion) return 0;
        const auto [known, is_new] = numbers_.emplace(companion->any_of, table_.words.size());
        if (is_new) table_.words.push_back(std::make_shared<const WordSearch>(companion->any_of));
        return known->second;
    }

  private:
    PhraseTable& table_;
    std::map<std::vector<std::string>, std::size_t> numbers_;
};

/// `words` of an earlier table need not be compiled again.
PhraseTable table_of(ByCore by_core, std::vector<std::shared_ptr<const WordSearch>> words) {
    PhraseTable table{{}, std::move(words)};
    WordNumbers numbers(table);
    for (auto& [core, phrases] : by_core) {
        if (phrases.all.empty()) continue;
        phrases.core = core;
        phrases.unite();
        for (PhrasesOfCore::Of& of : phrases.all) {
            of.words_before = numbers.of(of.phrase->companion_before);
            of.words_after = numbers.of(of.phrase->companion_after);
        }
        table.cores.push_back(std::move(phrases));
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
    return table_of(std::move(by_core), {});
}

PhraseTable with_rarer(PhraseTable table, const std::vector<Signature>& signatures,
                       const std::set<std::size_t>& to_replace, const Rarity& rarity) {
    ByCore by_core;
    for (PhrasesOfCore& phrases : table.cores) {
        std::erase_if(phrases.all, [&](const PhrasesOfCore::Of& of) { return to_replace.contains(of.signature); });
        by_core[phrases.core].all = std::move(phrases.all);
    }
    for (const std::size_t signature : to_replace) add(by_core, signatures, signature, rarity);
    return table_of(std::move(by_core), std::move(table.words));
}

std::vector<std::string> cores_of(const PhraseTable& table) {
    std::vector<std::string> cores;
    for (const PhrasesOfCore& phrases : table.cores) cores.push_back(phrases.core);
    return cores;
}

}  // namespace rnncheck::log_reader
