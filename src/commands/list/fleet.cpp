// Compares the reports of many machines.
#include "fleet/fleet.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "commands/common_options.hpp"
#include "commands/output.hpp"
#include "process/apart.hpp"

namespace rnncheck::commands::fleet {

namespace {

/// What a report is called in the comparison.
RNNCHECK_ENUM(NamedBy, label, file)

/// Empty for what was not given; the names of groups are checked against the reports.
struct ComparisonOptions {
    std::vector<std::string> group_by;
    std::string expect;  ///< file
    std::optional<std::string> nodes;
    NamedBy name = NamedBy::label;
};

struct MergeOptions {
    std::vector<std::string> inputs;  ///< files and directories; "-" is standard input
    ComparisonOptions comparison;
    ReportOptions report;
};

struct ShowOptions {
    std::string node;
    MergeOptions merged;
};

struct DiffOptions {
    std::vector<std::string> inputs;  ///< the earlier reports, the later ones
    NamedBy name = NamedBy::label;
    ReportOptions report;
};

void add_name_option(CLI::App& app, NamedBy& name) {
    add_choice(
        app,
        "--name",
        name,
        "Name of a node: its label 'node' (without this label, the file name), or always "
        "the file name");
}

/// `fleet diff` has only --name of them: it compares each node with itself.
void add_comparison_options(CLI::App& app, ComparisonOptions& options) {
    app.option_defaults()->group("What is compared");
    app.add_option(
           "--group-by",
           options.group_by,
           "Compare only nodes with the same gpu, os, rnncheck or label (its key); can be "
           "repeated; default: gpu, os and rnncheck")
        ->type_name("WHAT")
        ->allow_extra_args(false);
    app.add_option(
           "--expect",
           options.expect,
           "Report with the expected values, instead of the most frequent values of the "
           "nodes")
        ->type_name("FILE");
    app.add_option(
           "--nodes", options.nodes, "The nodes that should have reported, e.g. gpu[001-128]")
        ->type_name("NODES");
    add_name_option(app, options.name);
}

void add_merge_options(CLI::App& app, MergeOptions& options) {
    app.add_option(
           "REPORTS",
           options.inputs,
           "Files or directories with reports (--json), one or many in a file; - is standard input")
        ->type_name("")
        ->required();
    add_comparison_options(app, options.comparison);
    app.option_defaults()->group("Output and exit code");
    add_report_options(app, options.report);
}

/// The files of the reports, none of which an output replaces.
std::vector<std::string> protected_files(const std::vector<std::string>& inputs) {
    const std::string listed = process::apart([&] { return to_json(report_files(inputs)).dump(); });
    std::vector<std::string> files;
    from_json(Json::parse(listed), files, "files");
    std::ranges::for_each(files, protect_input);
    return files;
}

/// UsageError if none of the reports is of this node; an empty name means all nodes.
void require_node(const Collection& collection, const std::string& node) {
    if (node.empty() || collection.find(node))
        return;
    constexpr std::size_t most_shown = 200;
    const std::string nodes = nodeset_of(mapped(collection.nodes, &FleetNode::name));
    throw UsageError(
        "no report is of a node '" + escaped(node) + "'; the reports are of " +
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
    throw UsageError(
        "--group-by " + what + ": no report has a label '" + what + "'; nodes can be grouped by " +
        escaped(join_with_and({known.begin(), known.end()})));
}

/// Runs in a process of its own: thousands of files from anywhere are read here.
Fleet compared(
    const std::vector<std::string>& files, const ComparisonOptions& how, const std::string& node) {
    const bool by_file = how.name == NamedBy::file;
    const Collection collection = read_reports(files, by_file);
    FleetQuestion question{.group_by = how.group_by, .nodes = how.nodes, .only = node};
    // A report of a machine that was found to be right, so one alone can be it.
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

/// The node whose differences are shown in full: one with problems, else one that differs.
std::string first_of_interest(const Fleet& fleet) {
    for (const std::string* nodes : {&fleet.with_problems, &fleet.differing, &fleet.undetermined})
        if (!nodes->empty())
            return names_of_nodeset(*nodes).front();
    return "";
}

/// An empty `node` compares all nodes; else only what differs at this one is shown.
int compare(MergeOptions& options, const CLI::App& app, const std::string& node) {
    begin_run(app, options.report);
    const std::vector<std::string> files = protected_files(options.inputs);
    if (!options.comparison.expect.empty())
        protect_input(options.comparison.expect);
    Fleet fleet = process::fields_from_apart<Fleet>(
        [&] { return compared(files, options.comparison, node); });
    // "gpu001-128" is a valid name of one node, so only its absence shows that a range was meant.
    for (const std::string& name : names_of_nodeset(fleet.missing))
        if (const std::string range = range_meant_by(name); !range.empty())
            print_message(
                "'" + name + "' in --nodes is the name of one node; a range is written " + range);
    if (node.empty())
        fleet.node_to_show = first_of_interest(fleet);
    return print_report(finished(std::move(fleet), options.report), options.report);
}

int diff(DiffOptions& options, const CLI::App& app) {
    begin_run(app, options.report);
    if (options.inputs.size() != 2)
        throw UsageError(
            "'rnncheck fleet diff' compares two collections: give two files or directories");
    // The same node must have the same name in both, so the choice is one for both.
    const bool by_file = options.name == NamedBy::file;
    const auto earlier = protected_files({options.inputs.front()}),
               later = protected_files({options.inputs.back()});
    FleetDiff diff = process::fields_from_apart<FleetDiff>([&] {
        return changes_between(read_reports(earlier, by_file), read_reports(later, by_file));
    });
    return print_report(finished(std::move(diff), options.report), options.report);
}

std::function<int()> declare_merge(CLI::App& app) {
    const auto options = std::make_shared<MergeOptions>();
    add_merge_options(app, *options);
    return [options, &app] { return compare(*options, app, ""); };
}

std::function<int()> declare_show(CLI::App& app) {
    const auto options = std::make_shared<ShowOptions>();
    app.add_option("NODE", options->node, "Name of the node")->type_name("")->required();
    add_merge_options(app, options->merged);
    return [options, &app] { return compare(options->merged, app, options->node); };
}

std::function<int()> declare_diff(CLI::App& app) {
    const auto options = std::make_shared<DiffOptions>();
    app.add_option("REPORTS", options->inputs, "Two files or directories: the earlier one first")
        ->type_name("")
        ->required();
    add_name_option(app, options->name);
    app.option_defaults()->group("Output and exit code");
    add_report_options(app, options->report);
    return [options, &app] { return diff(*options, app); };
}

constexpr std::pair<const char*, Command> subcommands[] = {
    {"merge", {declare_merge}}, {"show", {declare_show}}, {"diff", {declare_diff}}};

}  // namespace

extern const Command command{[](CLI::App& app) { return declare_subcommands(app, subcommands); }};

}  // namespace rnncheck::commands::fleet
