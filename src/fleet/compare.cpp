// Finds the odd nodes of a fleet: nodes that can be expected to be equal form a group, in which the
// value that most of them have is the usual one.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "fleet/fleet.hpp"
#include "fleet/nodes.hpp"
#include "fleet/values.hpp"

namespace rnncheck {

namespace {

constexpr std::size_t least_for_majority = 3;
constexpr double second_kind =
    0.1;  ///< of a group: so many nodes with one value are a kind of their own
constexpr double small_group = 0.1;       ///< of all nodes: so few in a group of their own are odd
constexpr double most_deviations = 6;     ///< median absolute deviations
constexpr double least_difference = 0.1;  ///< of the median

using Nodes = std::vector<const FleetNode*>;

/// "8 x NVIDIA H100 80GB HBM3", "Ubuntu 22.04.4 LTS", or a label: "rack=7".
std::string group_value(const FleetNode& node, const std::string& by) {
    const auto value = [&](std::string_view field) -> std::string {
        const Text* const found = known_value(node, Text(field));
        if (found && !found->str().empty())
            return found->str();
        return "unknown";
    };
    if (by == "gpu") {
        const std::string count = value("cuda_devices"), name = value("cuda_devices[].name");
        if (count == "unknown" || count == "0")
            return "no GPU";
        return count + " x " + name;
    }
    if (by == "os")
        return value("host.os");
    if (by == "rnncheck") {
        std::string date = value("tool.matrix_date");
        if (date == "unknown")
            date = "unknown date";
        return "rnncheck " + value("tool.version") + ", tables of " + date;
    }
    const std::string* const label = look_up(node.labels, by);
    if (!label)
        return by + " unknown";
    return by + '=' + *label;
}

/// Without values yet: what the field is called, and its place in the facts.
FleetField difference_in(Text field) {
    const std::string place = place_of(field);
    return {label_of({place}), place};
}

using NodesByValue = std::map<std::string_view, Nodes>;

/// Their names, "gpu[001-016,018]".
std::string nodeset_of_these(const auto& nodes) {
    return nodeset_of(mapped(nodes, &FleetNode::name));
}

/// The value of the majority; nothing if there is no majority.
std::optional<std::string_view> usual_value(const NodesByValue& values, std::size_t known) {
    const auto count = [](const NodesByValue::value_type& value) { return value.second.size(); };
    const auto most = std::ranges::max_element(values, {}, count);
    if (known >= least_for_majority && count(*most) * 3 > known * 2)
        return most->first;
    return std::nullopt;
}

/// Every field in which nodes of the group differ, or differ from `expected`. A
/// value that many have besides the usual one is a second kind of machine, not
/// odd.
void compare_values(const Nodes& nodes, const FleetNode* expected, FleetGroup& group) {
    std::map<Text, NodesByValue> fields;
    for (const FleetNode* node : nodes)
        for (const auto& [field, value] : node->values)
            fields[field][value.str()].push_back(node);
    group.fields_compared = fields.size();
    for (auto& [field, values] : fields) {
        std::size_t known = 0;
        for (const auto& [value, with_it] : values)
            known += with_it.size();
        if (known < nodes.size() && !probe_that_shows_absence(field.str()).empty())
            for (const FleetNode* node : nodes)
                if (!known_value(*node, field) && value_of(*node, field))
                    values[absent].push_back(node), ++known;
        auto usual = usual_value(values, known);
        if (expected)
            usual = value_of(*expected, field);
        const bool is_one_value =
            values.size() == 1 && (!expected || usual == values.begin()->first);
        if (is_one_value || (expected && !usual))
            continue;
        FleetField& difference = group.differences.emplace_back(difference_in(field));
        if (!usual)
            difference.agreement = FleetAgreement::no_majority;
        for (const auto& [value, with_it] : values) {
            const bool is_second_kind =
                !expected && with_it.size() >= least_for_majority &&
                static_cast<double>(with_it.size()) > second_kind * static_cast<double>(known);
            std::string nodes_with_it;
            if (usual != value)
                nodes_with_it = nodeset_of_these(with_it);
            difference.values.push_back(
                {std::string(value),
                 with_it.size(),
                 nodes_with_it,
                 usual && usual != value && !is_second_kind});
        }
        if (usual && !values.contains(*usual))
            difference.values.push_back({std::string(*usual)});
        // By nodes last, so that fields that divide the nodes in the same way have the same order.
        std::ranges::sort(difference.values, {}, [](const FleetValue& value) {
            return std::tuple(
                !value.nodes.empty(), -static_cast<std::ptrdiff_t>(value.count), value.nodes);
        });
    }
}

/// Of an even number the upper one of the two in the middle.
double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

/// Numbers differ from run to run: a node is odd if its number is far from the
/// median, in units of how far the others usually are. One slow or broken node
/// does not move the median, as it would the mean.
void compare_numbers(const Nodes& nodes, FleetGroup& group) {
    if (nodes.size() < least_for_majority)
        return;
    std::map<Text, std::vector<std::pair<double, const FleetNode*>>> fields;
    for (const FleetNode* node : nodes)
        for (const auto& [field, value] : node->numbers)
            fields[field].emplace_back(value, node);
    for (const auto& [field, samples] : fields) {
        const double middle =
            median(mapped(samples, [](const auto& sample) { return sample.first; }));
        const auto deviation = [&](const auto& sample) { return std::abs(sample.first - middle); };
        const double allowed = std::max(
            most_deviations * median(mapped(samples, deviation)), least_difference * middle);
        FleetField difference = difference_in(field);
        std::set<const FleetNode*> all_odd;
        for (const auto& [words, sign] : {std::pair("more than ", 1), {"less than ", -1}}) {
            std::set<const FleetNode*> odd;
            for (const auto& [value, node] : samples)
                if (sign * (value - middle) > allowed)
                    odd.insert(node);
            if (!odd.empty())
                difference.values.push_back(
                    {words + short_number(middle + sign * allowed),
                     odd.size(),
                     nodeset_of_these(odd),
                     true});
            all_odd.merge(odd);
        }
        if (all_odd.empty())
            continue;
        difference.values.insert(
            difference.values.begin(),
            {"about " + short_number(middle), nodes.size() - all_odd.size()});
        group.differences.push_back(std::move(difference));
    }
}

/// What nodes are expected to have in common unless --group-by names something else.
struct GroupKey {
    const char *key, *what, *fact;
};
constexpr GroupKey default_keys[] = {
    {"gpu", "GPUs", "cuda_devices"},
    {"os", "operating system", "host.os"},
    {"rnncheck", "rnncheck and its tables", "tool.version"}};

/// What --group-by names, in its order.
std::vector<std::string> keys_of(const FleetQuestion& question) {
    if (!question.group_by.empty())
        return question.group_by;
    return mapped(default_keys, [](const GroupKey& one) { return std::string(one.key); });
}

using Groups = std::map<std::string, Nodes>;

/// Nodes that can be expected to be equal, by what they have in common. The name of a
/// group is the list of its values, "8 x NVIDIA H100, Ubuntu 22.04".
Groups groups_of(const Collection& collection, const FleetQuestion& question) {
    const std::vector<std::string> keys = keys_of(question);
    Groups groups;
    for (const FleetNode& node : collection.nodes)
        groups[join(mapped(keys, [&](const auto& key) { return group_value(node, key); }), ", ")]
            .push_back(&node);
    return groups;
}

/// In how much two machines are of one kind. The model of the GPUs counts more than all else: a
/// machine that lost one of them belongs to those that have all.
int likeness(const FleetNode& one, const FleetNode& other) {
    constexpr int same_gpu = 10;
    const Text name("cuda_devices[].name");
    const Text *const of_one = known_value(one, name), *const of_other = known_value(other, name);
    int likeness = 0;
    if (of_one && of_other && of_one->str() == of_other->str())
        likeness = same_gpu;
    for (const GroupKey& key : default_keys)
        if (group_value(one, key.key) == group_value(other, key.key))
            ++likeness;
    return likeness;
}

/// The group to which the nodes of a small group would belong if something had not changed there;
/// null if the group is not small.
const Nodes* usual_group(const Nodes& nodes, const Groups& groups, std::size_t all) {
    const bool is_small = nodes.size() == 1 || static_cast<double>(nodes.size()) <=
                                                   small_group * static_cast<double>(all);
    const Nodes* usual = nullptr;
    std::tuple<int, std::size_t> best;
    for (const auto& [name, others] : groups) {
        if (!is_small || others.size() < least_for_majority || others.size() <= nodes.size())
            continue;
        const std::tuple score(likeness(*nodes.front(), *others.front()), others.size());
        if (usual && score <= best)
            continue;
        usual = &others;
        best = score;
    }
    return usual;
}

/// A small group beside a large one: its nodes differ in what groups have in common, such as the
/// number of GPUs.
void compare_with_usual_group(const Nodes& nodes, const Nodes& usual, FleetGroup& group) {
    for (const GroupKey& key : default_keys) {
        const std::string here = group_value(*nodes.front(), key.key),
                          there = group_value(*usual.front(), key.key);
        if (here == there)
            continue;
        FleetField& difference = group.differences.emplace_back(FleetField{key.what, key.fact});
        difference.values = {
            {there, usual.size()}, {here, nodes.size(), nodeset_of_these(nodes), true}};
    }
}

/// Who reported, and how it went there.
void add_reports(const Collection& collection, const FleetQuestion& question, Fleet& fleet) {
    std::map<std::string, std::map<std::string, Names>> findings;  // by severity and rule
    std::map<std::string, Names> unreadable;
    std::map<std::string, std::string> titles;
    Names with_problems, undetermined;
    for (const FleetNode& node : collection.nodes) {
        bool has_problem = false;
        for (const auto& [finding, title] : node.findings) {
            const std::size_t blank = finding.str().find(' ');
            const std::string severity = finding.str().substr(0, blank),
                              rule = finding.str().substr(blank + 1);
            findings[severity][rule].push_back(node.name);
            titles[rule] = title.str();
            has_problem |= severity == "error";
        }
        if (has_problem)
            with_problems.push_back(node.name);
        else if (node.verdict != "healthy" && node.verdict != "warnings")
            undetermined.push_back(node.name);
    }
    for (const UnreadableReport& report : collection.unreadable)
        unreadable[report.why].push_back(report.name);
    fleet.read = collection.nodes.size();
    fleet.repeated = collection.repeated;
    const auto rule = [&](const std::string& id) {
        FleetNodes nodes{.what = id};
        if (!titles[id].empty())
            nodes.title = titles[id];
        return nodes;
    };
    fleet.problems = by_count<FleetNodes>(findings["error"], rule);
    fleet.warnings = by_count<FleetNodes>(findings["warning"], rule);
    fleet.unreadable = by_count<FleetNodes>(
        unreadable, [](const std::string& why) { return FleetNodes{.what = why}; });
    fleet.with_problems = nodeset_of(with_problems);
    fleet.undetermined = nodeset_of(undetermined);
    if (!question.nodes)
        return;
    const Names expected = names_of_nodeset(*question.nodes);
    Names missing;
    for (const std::string& name : expected)
        if (!collection.find(name))
            missing.push_back(name);
    fleet.expected = expected.size();
    fleet.missing = nodeset_of(missing);
}

/// A nodeset may name many nodes in few letters.
std::size_t count_of(const std::string& nodeset) {
    return names_of_nodeset(nodeset).size();
}

/// One group or several: whether "identical" is about all nodes.
std::string words_without_differences(const Fleet& fleet) {
    if (fleet.read == 0)
        return "there is nothing to compare";
    if (fleet.groups.size() < 2)
        return "all nodes are healthy and identical";
    return "all nodes are healthy, and identical within each of " +
           std::to_string(fleet.groups.size()) + " groups";
}

/// Outcome and sentence, the worst outcome last. A node without a verdict
/// weighs more than a warning: it may have any problem.
void conclude(Fleet& fleet) {
    const std::size_t odd = count_of(fleet.differing), ill = count_of(fleet.with_problems);
    const std::size_t missing = count_of(fleet.missing),
                      undetermined = count_of(fleet.undetermined);
    std::size_t unreadable = 0;
    for (const FleetNodes& reports : fleet.unreadable)
        unreadable += reports.count;
    fleet.outcome = FleetOutcome::alike;
    if (odd + fleet.warnings.size() > 0)
        fleet.outcome = FleetOutcome::warnings;
    if (missing + undetermined + unreadable > 0 || fleet.read == 0)
        fleet.outcome = FleetOutcome::incomplete;
    if (ill > 0)
        fleet.outcome = FleetOutcome::problems;
    std::string result = counts_in_words(
        {{odd, "differs from the others", "differ from the others"},
         {ill, "has problems", "have problems"},
         {fleet.warnings.size(), "kind of warning", "kinds of warnings"},
         {undetermined, "undetermined", "undetermined"},
         {unreadable, "report is unreadable", "reports are unreadable"},
         {missing, "did not report", "did not report"}});
    if (result.empty())
        result = words_without_differences(fleet);
    fleet.sentence = pluralized(fleet.read, "node was", "nodes were") + " compared: " + result;
}

/// For `fleet show NODE`: only what concerns the node, with the usual values
/// beside its own.
void keep_differences_of(const std::string& node, Fleet& fleet) {
    const auto is_another = [&](const auto& nodes) {
        return !includes(names_of_nodeset(nodes.nodes), node);
    };
    const auto is_usual = [](const FleetValue& value) { return value.nodes.empty(); };
    std::size_t differences = 0;
    for (FleetGroup& group : fleet.groups) {
        std::erase_if(group.differences, [&](const FleetField& field) {
            return std::ranges::all_of(field.values, is_another);
        });
        for (FleetField& field : group.differences)
            std::erase_if(field.values, [&](const FleetValue& value) {
                return !is_usual(value) && is_another(value);
            });
        differences += group.differences.size();
    }
    std::erase_if(fleet.groups, [](const FleetGroup& group) { return group.differences.empty(); });
    std::erase_if(fleet.problems, is_another);
    std::erase_if(fleet.warnings, is_another);
    fleet.unreadable.clear();
    fleet.missing.clear();
    for (std::string* const nodes : {&fleet.differing, &fleet.with_problems, &fleet.undetermined}) {
        const bool is_among = includes(names_of_nodeset(*nodes), node);
        nodes->clear();
        if (is_among)
            *nodes = nodeset_of({node});
    }
    conclude(fleet);
    std::string result = counts_in_words(
        {{fleet.problems.size(), "problem", "problems"},
         {fleet.warnings.size(), "warning", "warnings"},
         {differences, "difference from the others", "differences from the others"}});
    if (result.empty() && fleet.undetermined.empty())
        result = "healthy, and no different from the others";
    if (result.empty())
        result = "undetermined";
    fleet.sentence = node + ": " + result;
}

}  // namespace

/// Each group by itself, then small groups against the one that they would
/// belong to: a node that lost a GPU is alone in its group, and equal to
/// itself.
Fleet compare_nodes(const Collection& collection, const FleetQuestion& question) {
    Fleet fleet;
    add_reports(collection, question, fleet);
    Names odd;
    const FleetNode* expected = nullptr;
    if (question.expected)
        expected = &*question.expected;
    const Groups groups = groups_of(collection, question);
    for (const auto& [name, nodes] : groups) {
        FleetGroup& group = fleet.groups.emplace_back(FleetGroup{name, nodes.size()});
        compare_values(nodes, expected, group);
        compare_numbers(nodes, group);
        // Groups that the user named may be as small as they are.
        const Nodes* usual = nullptr;
        if (question.group_by.empty())
            usual = usual_group(nodes, groups, collection.nodes.size());
        if (usual)
            compare_with_usual_group(nodes, *usual, group);
        std::ranges::sort(group.differences, {}, [](const FleetField& field) {
            const FleetValue &first = field.values.front(), &last = field.values.back();
            return std::tuple(field.fact, first.value, last.value, first.nodes, last.nodes);
        });
        for (const FleetField& field : group.differences)
            for (const FleetValue& value : field.values)
                if (value.differs)
                    append(odd, names_of_nodeset(value.nodes));
    }
    std::ranges::stable_sort(fleet.groups, std::greater(), &FleetGroup::nodes);
    fleet.differing = nodeset_of(std::move(odd));
    conclude(fleet);
    if (!question.only.empty())
        keep_differences_of(question.only, fleet);
    return fleet;
}

}  // namespace rnncheck
