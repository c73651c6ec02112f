#include "commands/ids.hpp"

#include <algorithm>

#include "base/program.hpp"
#include "base/text.hpp"
#include "commands/nearest.hpp"
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

}  // namespace

std::vector<std::string> rule_names() {
    return names_in(all_rules());
}
std::vector<std::string> probe_names() {
    return names_in(all_probes());
}
std::vector<std::string> format_names() {
    return names_in(all_formats());
}

std::string how_to_list(const std::string& what) {
    return "; 'rnncheck list rules'" +
           std::string(contains(what, "probe") ? " and 'rnncheck list probes' tell" : " tells") + " all";
}

std::set<std::string> ids_from(const std::vector<std::string>& given, const std::string& option,
                               const std::string& what, const std::vector<std::string>& known) {
    std::set<std::string> ids;
    for (const std::string& entry : given) {
        if (trim(entry).empty()) throw UsageError(option + " needs an id");
        for (const std::string& part : split(entry, ',')) {
            const std::string id(trim(part));
            if (id.empty()) throw UsageError(option + ": there is an empty id in '" + entry + "'");
            if (std::find(known.begin(), known.end(), id) == known.end()) {
                const std::string hint = did_you_mean(id, known);
                throw UsageError(option + ": there is no " + what + " '" + id + "'" +
                                 (hint.empty() ? how_to_list(what) : hint));
            }
            ids.insert(id);
        }
    }
    return ids;
}

const Named<Format>* format_named(const std::string& name) {
    if (const auto* format = find_named(all_formats(), name)) return format;
    throw UsageError("there is no format '" + name + "'; the formats are " + join_with_and(format_names()));
}

void complain_about_word(const std::string& word, const std::string& option, const std::vector<std::string>& words) {
    throw UsageError(option + " cannot be '" + word + "'; it is one of " + join_with_and(words));
}

}  // namespace rnncheck
