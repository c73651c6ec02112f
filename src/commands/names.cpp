#include "commands/names.hpp"

#include <algorithm>

#include "base/lists.hpp"
#include "base/program.hpp"
#include "base/text.hpp"
#include "facts/old_ids.hpp"
#include "process/probe.hpp"
#include "rules/rule.hpp"

namespace rnncheck {

namespace {

template <class Thing>
std::vector<std::string> names_in(std::span<const Named<Thing>> list) {
    return mapped(list, [](const auto& entry) { return std::string(entry.name); });
}

/// Longer words are no typing errors; bounds the work for hostile arguments.
constexpr std::size_t longest_word = 100;

/// Optimal string alignment distance: errors[i][j] is that of the first i letters of a and the
/// first j of b. https://en.wikipedia.org/wiki/Damerau%E2%80%93Levenshtein_distance
std::size_t typing_errors(std::string_view a, std::string_view b) {
    std::vector<std::vector<std::size_t>> errors(
        a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    // A word becomes an empty one by removing each of its letters.
    for (std::size_t i = 0; i <= a.size(); ++i)
        errors[i][0] = i;
    for (std::size_t j = 0; j <= b.size(); ++j)
        errors[0][j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i)
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t missing = errors[i - 1][j] + 1, added = errors[i][j - 1] + 1,
                              changed = errors[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            errors[i][j] = std::min({missing, added, changed});
            // "lsit" has one typing error, not two: neighbours are swapped often.
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                errors[i][j] = std::min(errors[i][j], errors[i - 2][j - 2] + 1);
        }
    return errors[a.size()][b.size()];
}

std::optional<std::string> only_one_with(
    std::string_view word, const std::vector<std::string>& candidates) {
    const auto has_it = [&](const std::string& candidate) { return contains(candidate, word); };
    // "a" is in nearly every name.
    if (word.size() < 4 || std::ranges::count_if(candidates, has_it) != 1)
        return std::nullopt;
    return *std::ranges::find_if(candidates, has_it);
}

}  // namespace

std::optional<std::string> closest_match(
    std::string_view word, const std::vector<std::string>& candidates) {
    if (word.size() > longest_word)
        return std::nullopt;
    // One error of three letters: a word with more of them was hardly meant.
    std::size_t fewest = std::max<std::size_t>(1, word.size() / 3) + 1;
    std::optional<std::string> best;
    for (const std::string& candidate : candidates)
        if (const std::size_t errors = typing_errors(word, candidate); errors < fewest) {
            fewest = errors;
            best = candidate;
        }
    if (best)
        return best;
    return only_one_with(word, candidates);
}

std::string did_you_mean(
    std::string_view word,
    const std::vector<std::string>& candidates,
    const std::string& otherwise) {
    const auto found = closest_match(word, candidates);
    if (found)
        return "; did you mean '" + *found + "'?";
    return otherwise;
}

std::vector<std::string> rule_names(const Matrix& matrix) {
    return names_in(RuleList(matrix).all());
}
std::vector<std::string> probe_names() {
    return names_in(all_probes());
}
std::vector<std::string> format_names() {
    return names_in(all_formats());
}

std::vector<std::string> rule_and_probe_names(const Matrix& matrix) {
    std::vector<std::string> names = rule_names(matrix);
    append(names, probe_names());
    return names;
}

void reject_id(
    const std::string& id,
    const std::string& what,
    const std::vector<std::string>& known,
    const std::string& where) {
    std::string list = "'rnncheck list rules' shows";
    if (contains(what, "probe"))
        list = "'rnncheck list rules' and 'rnncheck list probes' show";
    throw UsageError(
        where + "unknown " + what + " '" + id + "'" +
        did_you_mean(id, known, "; " + list + " all"));
}

std::set<std::string> ids_from(
    const std::vector<std::string>& given,
    const std::string& option,
    const std::string& what,
    const std::function<std::vector<std::string>()>& known) {
    std::set<std::string> ids;
    if (given.empty())
        return ids;  // the names of rules need the tables, which take time to read
    const std::vector<std::string> names = known();
    for (const std::string& entry : given) {
        if (trim(entry).empty())
            throw UsageError(option + " needs an id");
        for (const std::string& part : split(entry, ',')) {
            // A script may have the name that a rule had in an earlier version.
            const std::string id = current_id(std::string(trim(part)));
            if (id.empty())
                throw UsageError(option + ": there is an empty id in '" + entry + "'");
            if (!includes(names, id))
                reject_id(id, what, names, option + ": ");
            ids.insert(id);
        }
    }
    return ids;
}

const Named<Format>* format_named(const std::string& name) {
    if (const auto* format = find_named(all_formats(), name))
        return format;
    throw UsageError(
        "unknown format '" + name + "'; the formats are " + join_with_and(format_names()));
}

void reject_word(
    const std::string& word, const std::string& option, const std::vector<std::string>& words) {
    throw UsageError(option + " cannot be '" + word + "'; it is one of " + join_with_and(words));
}

}  // namespace rnncheck
