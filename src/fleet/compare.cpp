#include "fleet/compare.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/lists.hpp"
#include "base/program.hpp"
#include "base/text.hpp"
#include "fleet/nodeset.hpp"
#include "report/places.hpp"

namespace rnncheck {

namespace {

constexpr std::uint32_t unknown = ~0U;
constexpr std::size_t least_for_majority = 3;
constexpr double second_kind = 0.1;       ///< of a group: so many nodes with one value are a kind of their own
constexpr double most_deviations = 6;     ///< median absolute deviations
constexpr double least_difference = 0.1;  ///< of the median

using Nodes = std::vector<const FleetNode*>;
using NamesByText = std::map<std::string, std::vector<std::string>>;

std::uint32_t value_of(const FleetNode& node, std::uint32_t field) {
    const auto found =
        std::ranges::lower_bound(node.values, field, {}, &std::pair<std::uint32_t, std::uint32_t>::first);
    return found == node.values.end() || found->first != field ? unknown : found->second;
}

/// The probe that lists the elements of which `field` is one: "libraries[libcudnn.so.9]" is absent where it completed.
std::string_view probe_listing(const std::string& field) {
    return field.ends_with(']') ? section_of(field).probe : "";
}

/// Without what tells cases of one number apart: "rnn_tests[fp32 lstm case 4 v8 #123].digest".
std::string place_of(std::string field) {
    const std::size_t hash = field.find(" #");
    if (field.starts_with("rnn_tests[") && hash != std::string::npos) field.erase(hash, field.find(']') - hash);
    return field;
}

/// The value of a node, where it is known: an element of a list is absent if the probe that lists them completed.
std::optional<std::uint32_t> known_value(const FleetNode& node, std::uint32_t field, const Texts& texts) {
    const std::uint32_t value = value_of(node, field);
    if (value != unknown) return value;
    const std::string_view probe = probe_listing(texts[field]);
    const auto end = texts.find("probe_runs[" + std::string(probe) + "].end"), finished = texts.find("finished");
    const bool is_absent = !probe.empty() && end && finished && value_of(node, *end) == *finished;
    return is_absent ? std::optional(unknown) : std::nullopt;
}

std::string group_value(const FleetNode& node, const std::string& by, const Texts& texts) {
    const auto value = [&](std::string_view field) -> std::string {
        const auto number = texts.find(field);
        const std::uint32_t found = number ? value_of(node, *number) : unknown;
        return found == unknown ? "unknown" : texts[found];
    };
    if (by == "gpu") {
        const std::string count = value("cuda_devices"), name = value("cuda_devices[].name");
        return count == "unknown" || count == "0" ? "no GPU" : count + " x " + name;
    }
    if (by == "os") return value("host.os");
    if (by == "rnncheck") return "rnncheck " + value("tool.version") + ", tables of " + value("tool.matrix_date");
    for (const auto& [key, text] : node.labels)
        if (key == by) return key + '=' + text;
    return by + " unknown";
}

/// Nodes that are expected to be equal.
class Group {
  public:
    Group(Nodes nodes, const Texts& texts, const FleetNode* expected)
        : nodes_(std::move(nodes)), texts_(texts), expected_(expected) {}

    FleetGroup compared(const std::string& name) const {
        FleetGroup group{name, nodes_.size()};
        std::map<std::uint32_t, Counts> counts;
        for (const FleetNode* node : nodes_)
            for (const auto& [field, value] : node->values) ++counts[field][value];
        for (auto& [field, values] : counts) {
            const FleetField difference = difference_in(field, values);
            if (!difference.values.empty()) group.differences.push_back(difference);
        }
        group.fields_compared = counts.size();
        compare_numbers(group);
        std::ranges::sort(group.differences, {}, &FleetField::fact);
        return group;
    }

  private:
    using Counts = std::map<std::uint32_t, std::size_t>;  ///< nodes by value; `unknown` stands for known to be absent

    /// What most have, or --expect has; nothing without a majority.
    std::optional<std::uint32_t> usual_value(std::uint32_t field, const Counts& counts, std::size_t known) const {
        if (expected_) return known_value(*expected_, field, texts_);
        const auto most = std::ranges::max_element(counts, {}, &Counts::value_type::second);
        return known >= least_for_majority && most->second * 3 > known * 2 ? std::optional(most->first) : std::nullopt;
    }

    /// Without values if there is none.
    FleetField difference_in(std::uint32_t field, Counts& counts) const {
        std::size_t known = 0;
        for (const auto& [value, count] : counts) known += count;
        if (known < nodes_.size() && !probe_listing(texts_[field]).empty())
            for (const FleetNode* node : nodes_)
                if (known_value(*node, field, texts_) == unknown) ++counts[unknown], ++known;
        FleetField difference{label_of({place_of(texts_[field])}), place_of(texts_[field])};
        const auto usual = usual_value(field, counts, known);
        if (expected_ ? !usual || (counts.size() == 1 && counts.contains(*usual)) : counts.size() == 1)
            return difference;
        if (!usual) difference.agreement = FleetAgreement::no_majority;
        for (const auto& [value, count] : counts) {
            const bool is_usual = usual == value;
            const bool is_second_kind = !expected_ && count >= least_for_majority &&
                                        static_cast<double>(count) > second_kind * static_cast<double>(known);
            difference.values.push_back({value == unknown ? "absent" : texts_[value], count,
                                         is_usual ? "" : names_with(field, value),
                                         usual && !is_usual && !is_second_kind});
        }
        if (usual && !counts.contains(*usual))
            difference.values.push_back({*usual == unknown ? "absent" : texts_[*usual]});
        std::ranges::stable_sort(difference.values, [](const FleetValue& a, const FleetValue& b) {
            return std::tuple(a.nodes.empty(), a.count) > std::tuple(b.nodes.empty(), b.count);
        });
        return difference;
    }

    std::string names_with(std::uint32_t field, std::uint32_t value) const {
        std::vector<std::string> names;
        for (const FleetNode* node : nodes_)
            if (known_value(*node, field, texts_) == value) names.push_back(node->name);
        return nodeset_of(std::move(names));
    }

    void compare_numbers(FleetGroup& group) const {
        std::map<std::uint32_t, std::vector<double>> numbers;
        for (const FleetNode* node : nodes_)
            for (const FleetSample& sample : node->samples) numbers[sample.field].push_back(sample.value);
        for (auto& [field, values] : numbers) {
            if (nodes_.size() < least_for_majority) continue;
            const double middle = median(values);
            std::vector<double> deviations;
            for (const double value : values) deviations.push_back(std::abs(value - middle));
            const double allowed = std::max(most_deviations * median(deviations), least_difference * middle);
            FleetValue more{"more than " + short_number(middle + allowed)},
                less{"less than " + short_number(middle - allowed)};
            std::vector<std::string> above, below;
            for (const FleetNode* node : nodes_) {
                const auto is_beyond = [&](double sign) {
                    return std::ranges::any_of(node->samples, [&](const FleetSample& sample) {
                        return sample.field == field && sign * (sample.value - middle) > allowed;
                    });
                };
                if (is_beyond(1)) above.push_back(node->name);
                if (is_beyond(-1)) below.push_back(node->name);
            }
            FleetField difference{label_of({place_of(texts_[field])}), place_of(texts_[field])};
            difference.values.push_back({"about " + short_number(middle), nodes_.size() - above.size() - below.size()});
            for (const auto& [value, names] : {std::pair(&more, &above), std::pair(&less, &below)})
                if (!names->empty())
                    difference.values.push_back({value->value, names->size(), nodeset_of(*names), true});
            if (difference.values.size() > 1) group.differences.push_back(std::move(difference));
        }
    }

    static double median(std::vector<double> values) {
        const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
        std::ranges::nth_element(values, middle);
        return *middle;
    }

    Nodes nodes_;
    const Texts& texts_;
    const FleetNode* expected_;
};

std::map<std::string, Nodes> groups_of(const Collection& collection, const FleetQuestion& question) {
    const std::vector<std::string> default_keys = {"gpu", "os", "rnncheck"};
    std::map<std::string, Nodes> groups;
    for (const FleetNode& node : collection.nodes) {
        std::vector<std::string> parts;
        for (const std::string& key : question.group_by.empty() ? default_keys : question.group_by)
            parts.push_back(group_value(node, key, collection.texts));
        groups[join(parts, ", ")].push_back(&node);
    }
    return groups;
}

/// By count, the most first.
std::vector<FleetNodes> counted(const NamesByText& names, const std::map<std::string, std::string>& titles = {}) {
    std::vector<FleetNodes> list;
    for (const auto& [what, nodes] : names) {
        list.push_back({what, nodes.size(), nodeset_of(nodes)});
        if (const auto* title = look_up(titles, what); title && !title->empty()) list.back().title = *title;
    }
    std::ranges::stable_sort(list, std::greater(), &FleetNodes::count);
    return list;
}

/// Who reported, and how it went there.
void add_reports(const Collection& collection, const FleetQuestion& question, Fleet& fleet) {
    NamesByText problems, warnings, unreadable;
    std::vector<std::string> with_problems, undetermined;
    for (const FleetNode& node : collection.nodes) {
        for (const std::uint32_t rule : std::set(node.errors.begin(), node.errors.end()))
            problems[collection.texts[rule]].push_back(node.name);
        for (const std::uint32_t rule : std::set(node.warnings.begin(), node.warnings.end()))
            warnings[collection.texts[rule]].push_back(node.name);
        if (!node.errors.empty())
            with_problems.push_back(node.name);
        else if (node.verdict != "healthy" && node.verdict != "warnings")
            undetermined.push_back(node.name);
    }
    for (const UnreadableReport& report : collection.unreadable) unreadable[report.why].push_back(report.name);
    fleet.read = collection.nodes.size();
    fleet.repeated = collection.repeated;
    fleet.problems = counted(problems, collection.titles);
    fleet.warnings = counted(warnings, collection.titles);
    fleet.unreadable = counted(unreadable);
    fleet.with_problems = nodeset_of(with_problems);
    fleet.undetermined = nodeset_of(undetermined);
    if (!question.nodes) return;
    const std::vector<std::string> expected = names_of_nodeset(*question.nodes);
    std::vector<std::string> missing;
    for (const std::string& name : expected)
        if (!collection.find(name)) missing.push_back(name);
    fleet.expected = expected.size();
    fleet.missing = nodeset_of(missing);
}

std::size_t count_of(const std::string& nodeset) {
    return names_of_nodeset(nodeset).size();
}

void conclude(Fleet& fleet) {
    const std::size_t odd = count_of(fleet.odd), ill = count_of(fleet.with_problems);
    const std::size_t missing = count_of(fleet.missing), undetermined = count_of(fleet.undetermined);
    std::size_t unreadable = 0;
    for (const FleetNodes& reports : fleet.unreadable) unreadable += reports.count;
    fleet.outcome = ill > 0                                   ? FleetOutcome::problems
                    : missing + undetermined + unreadable > 0 ? FleetOutcome::incomplete
                    : odd + fleet.warnings.size() > 0         ? FleetOutcome::warnings
                                                              : FleetOutcome::alike;
    std::vector<std::string> parts;
    const auto add = [&](std::size_t count, const std::string& what) {
        if (count > 0) parts.push_back(std::to_string(count) + ' ' + what);
    };
    add(odd, odd == 1 ? "differs from the others" : "differ from the others");
    add(ill, ill == 1 ? "has problems" : "have problems");
    add(fleet.warnings.size(), fleet.warnings.size() == 1 ? "kind of warning" : "kinds of warnings");
    add(undetermined, "undetermined");
    add(unreadable, unreadable == 1 ? "report is unreadable" : "reports are unreadable");
    add(missing, "did not report");
    fleet.sentence = pluralized(fleet.read, "node was", "nodes were") + " compared: " +
                     (parts.empty() ? fleet.read == 0 ? "there is nothing to compare" : "all are healthy and alike"
                                    : join(parts, ", "));
    if (fleet.read == 0) fleet.outcome = FleetOutcome::incomplete;
}

void keep_differences_of(const std::string& node, Fleet& fleet) {
    const auto is_another = [&](const auto& nodes) { return !includes(names_of_nodeset(nodes.nodes), node); };
    const auto is_usual = [](const FleetValue& value) { return value.nodes.empty(); };
    for (FleetGroup& group : fleet.groups) {
        std::erase_if(group.differences,
                      [&](const FleetField& field) { return std::ranges::all_of(field.values, is_another); });
        for (FleetField& field : group.differences)
            std::erase_if(field.values, [&](const FleetValue& value) { return !is_usual(value) && is_another(value); });
    }
    std::erase_if(fleet.groups, [](const FleetGroup& group) { return group.differences.empty(); });
    std::erase_if(fleet.problems, is_another);
    std::erase_if(fleet.warnings, is_another);
    fleet.unreadable.clear();
}

using Changes = std::map<std::tuple<std::string, std::string, std::string>, std::vector<std::string>>;

/// Rules that found something at one time alone.
void add_findings(const FleetNode& node, const FleetNode& later, const Texts& texts, Changes& changes) {
    for (const auto& [severity, rules] :
         {std::pair("error ", &FleetNode::errors), {"warning ", &FleetNode::warnings}}) {
        std::set<std::uint32_t> all((node.*rules).begin(), (node.*rules).end());
        all.insert((later.*rules).begin(), (later.*rules).end());
        const auto presence = [](bool is_present) { return is_present ? "present" : "absent"; };
        for (const std::uint32_t rule : all)
            if (const bool was = includes(node.*rules, rule), is = includes(later.*rules, rule); was != is)
                changes[{severity + texts[rule], presence(was), presence(is)}].push_back(node.name);
    }
}

/// Fields that are known at both times.
void add_facts(const FleetNode& node, const FleetNode& later, const Texts& texts, Changes& changes) {
    std::set<std::uint32_t> fields;
    for (const auto* values : {&node.values, &later.values})
        for (const auto& [field, value] : *values) fields.insert(field);
    const auto words = [&](std::uint32_t value) { return value == unknown ? "absent" : texts[value]; };
    for (const std::uint32_t field : fields)
        if (const auto from = known_value(node, field, texts), to = known_value(later, field, texts);
            from && to && from != to)
            changes[{label_of({place_of(texts[field])}), words(*from), words(*to)}].push_back(node.name);
}

std::vector<FleetChange> counted(const Changes& changes) {
    std::vector<FleetChange> list;
    for (const auto& [change, nodes] : changes) {
        const auto& [what, from, to] = change;
        list.push_back({what, from, to, nodes.size(), nodeset_of(nodes)});
    }
    std::ranges::stable_sort(list, std::greater(), &FleetChange::count);
    return list;
}

}  // namespace

Fleet compare_nodes(const Collection& collection, const FleetQuestion& question) {
    Fleet fleet;
    add_reports(collection, question, fleet);
    std::set<std::string> odd;
    for (const auto& [name, nodes] : groups_of(collection, question)) {
        fleet.groups.push_back(
            Group(nodes, collection.texts, question.expected ? &*question.expected : nullptr).compared(name));
        for (const FleetField& field : fleet.groups.back().differences)
            for (const FleetValue& value : field.values)
                if (value.odd)
                    for (const std::string& node : names_of_nodeset(value.nodes)) odd.insert(node);
    }
    std::ranges::stable_sort(fleet.groups, std::greater(), &FleetGroup::nodes);
    fleet.odd = nodeset_of({odd.begin(), odd.end()});
    conclude(fleet);
    if (!question.only.empty()) keep_differences_of(question.only, fleet);
    return fleet;
}

FleetDiff changes_between(Collection before, const Collection& after) {
    FleetDiff diff;
    std::vector<std::string> gone, added;
    Changes findings, facts;
    for (const FleetNode& node : before.nodes) {
        const FleetNode* found = after.find(node.name);
        if (!found) {
            gone.push_back(node.name);
            continue;
        }
        ++diff.compared;
        const FleetNode later = after.renumbered(*found, before.texts);
        add_findings(node, later, before.texts, findings);
        add_facts(node, later, before.texts, facts);
    }
    for (const FleetNode& node : after.nodes)
        if (!before.find(node.name)) added.push_back(node.name);
    diff.findings = counted(findings);
    diff.changes = counted(facts);
    diff.gone = nodeset_of(gone);
    diff.added = nodeset_of(added);
    const std::size_t count = diff.findings.size() + diff.changes.size();
    diff.sentence = pluralized(diff.compared, "node", "nodes") +
                    " compared: " + (count == 0 ? "nothing changed" : pluralized(count, "change", "changes"));
    return diff;
}

}  // namespace rnncheck
