#include "log/phrase_table.hpp"

#include <map>

namespace rnncheck::log_reader {

namespace {

constexpr std::size_t most_blanks = 8;

bool is_blank(char c) {
    return static_cast<unsigned char>(c) <= ' ' || c == '\x7F';
}

/// The nearest place that is not blank; the text's size where it is not near.
std::size_t visible(std::string_view text, std::size_t at, std::size_t go) {
    for (std::size_t blanks = 0; at < text.size() && blanks < most_blanks; at += go, ++blanks)
        if (!is_blank(text[at])) return at;
    return text.size();
}

}  // namespace

bool PhrasesOfCore::may_stand(std::string_view text, std::size_t place, std::size_t core_size) const {
    const std::size_t next = visible(text, place + core_size, 1);
    if (next < text.size() && !after[static_cast<unsigned char>(text[next])] && !may_be_undone(text, next))
        return false;
    const std::size_t last = visible(text, place - 1, static_cast<std::size_t>(-1));
    return last >= text.size() || before[static_cast<unsigned char>(text[last])] || may_end_undone(text, last);
}

PhraseTable phrase_table(const std::vector<Signature>& signatures) {
    std::map<std::string, PhrasesOfCore> by_core;
    for (std::size_t s = 0; s < signatures.size(); ++s)
        for (const Phrase& phrase : signatures[s].phrases()) {
            PhrasesOfCore& of = by_core[phrase.core()];
            of.all.push_back({s, phrase});
            of.before |= phrase.nearest_before();
            of.after |= phrase.nearest_after();
        }
    PhraseTable table;
    for (auto& [core, phrases] : by_core) {
        table.cores.push_back(core);
        table.phrases.push_back(std::move(phrases));
    }
    return table;
}

}  // namespace rnncheck::log_reader
