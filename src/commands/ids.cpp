#include "commands/ids.hpp"

#include <algorithm>

#include "base/lists.hpp"
#include "base/program.hpp"
#include "base/text.hpp"
#include "process/probe.hpp"
#include "rules/rule.hpp"

namespace rnncheck {

namespace {

template <class Thing>
std::vector<std::string> names_in(std::span<const Named<Thing>> list) {
    std::vector<std::string> names;
    for (const auto& entry : list) names.emplace_back(entry.name);
    return names;
}

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
    const auto has_it = [&](const std::string& candidate) { return contains(candidate, word); };
    if (word.size() < 4 || std::ranges::count_if(candidates, has_it) != 1) return std::nullopt;
    return *std::ranges::find_if(candidates, has_it);
}

}  // namespace

std::optional<std::string> closest_match(std::string_view word, const std::vector<std::string>& candidates) {
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
    const auto found = closest_match(word, candidates);
    return found ? "; did you mean '" + *found + "'?" : "";
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

void reject_id(const std::string& id, const std::string& what, const std::vector<std::string>& known,
               const std::string& where) {
    const std::string hint = did_you_mean(id, known);
    const std::string list = contains(what, "probe") ? "'rnncheck list rules' and 'rnncheck list probes' show"
                                                     : "'rnncheck list rules' shows";
    throw UsageError(where + "unknown " + what + " '" + id + "'" + (hint.empty() ? "; " + list + " all" : hint));
}

std::set<std::string> ids_from(const std::vector<std::string>& given, const std::string& option,
                               const std::string& what, const std::function<std::vector<std::string>()>& known) {
    std::set<std::string> ids;
    if (given.empty()) return ids;
    const std::vector<std::string> names = known();
    for (const std::string& entry : given) {
        if (trim(entry).empty()) throw UsageError(option + " needs an id");
        for (const std::string& part : split(entry, ',')) {
            const std::string id(trim(part));
            if (id.empty()) throw UsageError(option + ": there is an empty id in '" + entry + "'");
            if (!includes(names, id)) reject_id(id, what, names, option + ": ");
            ids.insert(id);
        }
    }
    return ids;
}

const Named<Format>* format_named(const std::string& name) {
    if (const auto* format = find_named(all_formats(), name)) return format;
    throw UsageError("unknown format '" + name + "'; the formats are " + join_with_and(format_names()));
}

void reject_word(const std::string& word, const std::string& option, const std::vector<std::string>& words) {
    throw UsageError(option + " cannot be '" + word + "'; it is one of " + join_with_and(words));
}

}  // namespace rnncheck
