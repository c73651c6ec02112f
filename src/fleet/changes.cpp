// What changed in a fleet between two collections of reports, and the values of a node.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/text.hpp"
#include "fleet/nodes.hpp"
#include "fleet/values.hpp"

namespace rnncheck {

const Text* known_value(const FleetNode& node, Text field) {
    const auto found =
        std::ranges::lower_bound(node.values, field, {}, &std::pair<Text, Text>::first);
    if (found == node.values.end() || found->first != field)
        return nullptr;
    return &found->second;
}

std::optional<std::string_view> value_of(const FleetNode& node, Text field) {
    if (const Text* value = known_value(node, field))
        return value->str();
    const std::string_view probe = probe_that_shows_absence(field.str());
    if (probe.empty())
        return std::nullopt;
    const Text* end = known_value(node, Text(concat("probe_runs[", probe, "].end")));
    if (end && end->str() == "finished")
        return absent;
    return std::nullopt;
}

std::string place_of(Text field) {
    std::string place = field.str();
    const std::size_t hash = place.find(" #");
    if (place.starts_with("rnn_tests[") && hash != std::string::npos)
        place.erase(hash, place.find(']') - hash);
    return place;
}

namespace {

/// What changed, its earlier and its later value.
using Changes = std::map<std::tuple<std::string, std::string, std::string>, Names>;

/// Rules that found something at one time alone.
void add_findings(const FleetNode& node, const FleetNode& later, Changes& changes) {
    const auto add =
        [&](const FleetNode& one, const FleetNode& other, const char* from, const char* to) {
            for (const auto& [finding, title] : one.findings)
                if (!other.findings.contains(finding))
                    changes[{finding.str(), from, to}].push_back(node.name);
        };
    add(node, later, "present", "absent");
    add(later, node, "absent", "present");
}

/// Fields that are known at both times.
void add_facts(const FleetNode& node, const FleetNode& later, Changes& changes) {
    std::set<Text> fields;
    for (const auto* values : {&node.values, &later.values})
        for (const auto& [field, value] : *values)
            fields.insert(field);
    // A field that one of the two reports lacks may have changed or not.
    for (const Text field : fields)
        if (const auto from = value_of(node, field), to = value_of(later, field);
            from && to && from != to)
            changes[{label_of({place_of(field)}), std::string(*from), std::string(*to)}].push_back(
                node.name);
}

/// Still without the nodes that it is of.
FleetChange change_of(const Changes::key_type& key) {
    return std::apply([](const auto&... parts) { return FleetChange{parts...}; }, key);
}

}  // namespace

/// Only nodes with a report in both collections can have changed.
FleetDiff changes_between(const Collection& before, const Collection& after) {
    FleetDiff diff;
    Names removed, added;
    Changes findings, facts;
    for (const FleetNode& node : before.nodes) {
        if (const FleetNode* const later = after.find(node.name)) {
            ++diff.compared;
            add_findings(node, *later, findings);
            add_facts(node, *later, facts);
        } else {
            removed.push_back(node.name);
        }
    }
    for (const FleetNode& node : after.nodes)
        if (!before.find(node.name))
            added.push_back(node.name);
    diff.findings = by_count<FleetChange>(findings, change_of);
    diff.changes = by_count<FleetChange>(facts, change_of);
    diff.removed = nodeset_of(removed);
    diff.added = nodeset_of(added);
    std::string result = counts_in_words(
        {{diff.findings.size() + diff.changes.size(), "change", "changes"},
         {removed.size(), "only in the first", "only in the first"},
         {added.size(), "only in the second", "only in the second"}});
    if (result.empty())
        result = "nothing changed";
    diff.sentence = pluralized(diff.compared, "node", "nodes") + " compared: " + result;
    return diff;
}

}  // namespace rnncheck
