#include "log/rare_words.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "base/text.hpp"
#include "log/phrase.hpp"

namespace rnncheck::log_reader {

namespace {

/// Programs that do well say these, and what is cut from them, less often than other words of messages.
constexpr auto words_of_failure = std::to_array<std::string_view>(
    {"cannot", "Cannot", "can't", "could not", "couldn't", "Failed", "failed", "unable", "Unable"});

double rarity(const std::string& word) {
    const bool is_of_failure = std::any_of(words_of_failure.begin(), words_of_failure.end(),
                                           [&](std::string_view failure) { return contains(failure, word); });
    return rarity_in_any_log().of(word) + (is_of_failure ? 1 : 0);
}

using WaysOfWord = std::map<std::string, std::set<std::size_t>>;

WaysOfWord words_of(const std::vector<Steps>& ways) {
    WaysOfWord words;
    for (std::size_t way = 0; way < ways.size(); ++way)
        for (const std::string& word : bytes_to_search_for(ways[way])) words[word].insert(way);
    for (auto& [piece, with_piece] : words)
        for (const auto& [word, with_word] : words)
            if (contains(word, piece)) with_piece.insert(with_word.begin(), with_word.end());
    return words;
}

/// How much of a log holds the word, for each way that is still open.
double cost(const WaysOfWord::value_type& word, const std::set<std::size_t>& open) {
    const auto ways =
        std::count_if(word.second.begin(), word.second.end(), [&](std::size_t way) { return open.contains(way); });
    return ways == 0 ? HUGE_VAL : std::exp2(-rarity(word.first)) / static_cast<double>(ways);
}

bool cover_all(const std::vector<WaysOfWord::const_iterator>& chosen, std::size_t but, std::size_t ways) {
    std::set<std::size_t> covered;
    for (std::size_t i = 0; i < chosen.size(); ++i)
        if (i != but) covered.insert(chosen[i]->second.begin(), chosen[i]->second.end());
    return covered.size() == ways;
}

}  // namespace

/// The greedy algorithm for weighted set cover; what the later choices made needless is dropped.
std::vector<std::string> rare_words_of(const std::vector<Steps>& ways) {
    constexpr std::size_t most = 12;
    const WaysOfWord words = words_of(ways);
    std::set<std::size_t> open;
    for (std::size_t way = 0; way < ways.size(); ++way) open.insert(way);
    std::vector<WaysOfWord::const_iterator> chosen;
    while (!open.empty() && chosen.size() < most && !words.empty()) {
        auto best = words.begin();
        for (auto word = words.begin(); word != words.end(); ++word)
            if (cost(*word, open) < cost(*best, open)) best = word;
        if (cost(*best, open) == HUGE_VAL) return {};
        for (const std::size_t way : best->second) open.erase(way);
        chosen.push_back(best);
    }
    if (!open.empty()) return {};
    std::vector<std::string> rare;
    for (std::size_t i = 0; i < chosen.size();)
        if (cover_all(chosen, i, ways.size()))
            chosen.erase(chosen.begin() + static_cast<std::ptrdiff_t>(i));
        else
            rare.push_back(chosen[i++]->first);
    return rare;
}

}  // namespace rnncheck::log_reader
