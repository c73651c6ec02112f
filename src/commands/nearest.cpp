#include "commands/nearest.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace rnncheck {

namespace {

/// Longer words are no typing errors; bounds the work for hostile arguments.
constexpr std::size_t longest_word = 100;

/// Optimal string alignment distance, three rows at a time.
std::size_t typing_errors(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], before[j - 2] + 1);
        }
        std::swap(before, last);
        std::swap(last, row);
    }
    return last[b.size()];
}

std::optional<std::string> only_one_with(std::string_view word, const std::vector<std::string>& candidates) {
    if (word.size() < 4) return std::nullopt;
    const auto has_it = [&](const std::string& candidate) { return contains(candidate, word); };
    const auto found = std::find_if(candidates.begin(), candidates.end(), has_it);
    if (found == candidates.end() || std::find_if(found + 1, candidates.end(), has_it) != candidates.end())
        return std::nullopt;
    return *found;
}

}  // namespace

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates) {
    if (word.size() > longest_word) return std::nullopt;
    std::size_t fewest = std::max<std::size_t>(1, word.size() / 3) + 1;
    std::optional<std::string> best;
    for (const std::string& candidate : candidates)
        if (const std::size_t errors = typing_errors(word, candidate); errors < fewest) {
            fewest = errors;
            best = candidate;
        }
    return best ? best : only_one_with(word, candidates);
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
    const auto found = nearest(word, candidates);
    return found ? "; did you mean '" + *found + "'?" : "";
}

}  // namespace rnncheck
