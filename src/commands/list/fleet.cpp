// Compares the reports of many machines.
#include "fleet/fleet.hpp"

#include <algorithm>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "commands/common_options.hpp"
#include "commands/output.hpp"
#include "process/apart.hpp"

namespace rnncheck::commands::fleet {

namespace {

RNNCHECK_ENUM(NamedBy, label, file)

constexpr const char* name_option =
    "Name of a node: its label 'node' (without this label, the file name), or always the file name";

struct ComparisonOptions {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(std::vector<std::string>, group_by,
                   "WHAT: Compare only nodes with the same gpu, os, rnncheck or label (its key); "
                   "can be repeated; "
                   "default: gpu, os and rnncheck");
    RNNCHECK_FIELD(
        std::string, expect,
        "FILE: Report with the expected values, instead of the most frequent values of the nodes");
    RNNCHECK_FIELD(std::optional<std::string>, nodes,
                   "NODES: The nodes that should have reported, e.g. gpu[001-128]");
    RNNCHECK_FIELD(NamedBy, name, name_option) = NamedBy::label;
    RNNCHECK_FIELDS_END
};

struct MergeOptions {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD_AS(
        std::vector<std::string>, inputs, "REPORTS",
        "Files or directories with reports (--json), one or many in a file; - is standard input");
    RNNCHECK_FIELD(ComparisonOptions, comparison, "What is compared");
    RNNCHECK_FIELD(ReportOptions, report, "Output and exit code");
    RNNCHECK_FIELDS_END
};

struct ShowOptions {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD_AS(std::string, node, "NODE", "Name of the node");
    RNNCHECK_FIELD(MergeOptions, merged, "Options");
    RNNCHECK_FIELDS_END
};

struct DiffOptions {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD_AS(std::vector<std::string>, inputs, "REPORTS",
                      "Two files or directories: the earlier one first");
    RNNCHECK_FIELD(NamedBy, name, name_option) = NamedBy::label;
    RNNCHECK_FIELD(ReportOptions, report, "Output and exit code");
    RNNCHECK_FIELDS_END
};

/// The files of the reports, none of which an output replaces.
std::vector<std::string> protected_files(const std::vector<std::string>& inputs) {
    const std::string listed = process::apart([&] { return to_json(report_files(inputs)).dump(); });
    std::vector<std::string> files;
    from_json(Json::parse(listed), files, "files");
    std::ranges::for_each(files, protect_input);
    return files;
}

void require_node(const Collection& collection, const std::string& node) {
    if (node.empty() || collection.find(node))
        return;
    constexpr std::size_t most_shown = 200;
    const std::string nodes = nodeset_of(mapped(collection.nodes, &FleetNode::name));
    throw UsageError("no report is of a node '" + escaped(node) + "'; the reports are of " +
                     escaped(nodes, most_shown));
}

/// A label that no report has would put all nodes into one group, as if they had it alike.
void require_group(const Collection& collection, const std::string& what) {
    std::set<std::string> known = {"gpu", "os", "rnncheck"};
    for (const FleetNode& node : collection.nodes)
        for (const auto& [label, value] : node.labels)
            known.insert(label);
    if (known.contains(what))
        return;
    throw UsageError("--group-by " + what + ": no report has a label '" + what +
                     "'; nodes can be grouped by " +
                     escaped(join_with_and({known.begin(), known.end()})));
}

Fleet compared(const std::vector<std::string>& files, const ComparisonOptions& how,
               const std::string& node) {
    const bool by_file = how.name == NamedBy::file;
    const Collection collection = read_reports(files, by_file);
    FleetQuestion question{.group_by = how.group_by, .nodes = how.nodes, .only = node};
    if (!how.expect.empty()) {
        const Collection expected = read_reports(report_files({how.expect}), by_file);
        if (expected.nodes.size() != 1 || !expected.unreadable.empty())
            throw InputError("--expect needs a file with one report that can be read");
        question.expected = expected.nodes.front();
    }
    require_node(collection, node);
    for (const std::string& what : how.group_by)
        require_group(collection, what);
    return compare_nodes(collection, question);
}

std::string first_of_interest(const Fleet& fleet) {
    for (const std::string* nodes : {&fleet.with_problems, &fleet.differing, &fleet.undetermined})
        if (!nodes->empty())
            return names_of_nodeset(*nodes).front();
    return "";
}

int compare(MergeOptions& options, const CLI::App& app, const std::string& node) {
    begin_run(app, options.report);
    const std::vector<std::string> files = protected_files(options.inputs);
    if (!options.comparison.expect.empty())
        protect_input(options.comparison.expect);
    Fleet fleet = process::fields_from_apart<Fleet>(
        [&] { return compared(files, options.comparison, node); });
    for (const std::string& name : names_of_nodeset(fleet.missing))
        if (const std::string range = range_meant_by(name); !range.empty())
            print_message("'" + name + "' in --nodes is the name of one node; a range is written " +
                          range);
    if (node.empty())
        fleet.node_to_show = first_of_interest(fleet);
    return print_report(finished(std::move(fleet), options.report), options.report);
}

int merge(MergeOptions& options, const CLI::App& app) {
    return compare(options, app, "");
}

int show(ShowOptions& options, const CLI::App& app) {
    return compare(options.merged, app, options.node);
}

int diff(DiffOptions& options, const CLI::App& app) {
    begin_run(app, options.report);
    if (options.inputs.size() != 2)
        throw UsageError(
            "'rnncheck fleet diff' compares two collections: give two files or directories");
    const bool by_file = options.name == NamedBy::file;
    const auto earlier = protected_files({options.inputs.front()}),
               later = protected_files({options.inputs.back()});
    FleetDiff diff = process::fields_from_apart<FleetDiff>([&] {
        return changes_between(read_reports(earlier, by_file), read_reports(later, by_file));
    });
    return print_report(finished(std::move(diff), options.report), options.report);
}

constexpr std::pair<const char*, Command> subcommands[] = {
    {"merge", {declared<MergeOptions, merge>}},
    {"show", {declared<ShowOptions, show>}},
    {"diff", {declared<DiffOptions, diff>}}};

}  // namespace

extern const Command command{[](CLI::App& app) { return declare_subcommands(app, subcommands); }};

}  // namespace rnncheck::commands::fleet
