// Compares the reports of many machines.
#include "fleet/fleet.hpp"

#include <algorithm>

#include "commands/common_options.hpp"
#include "commands/output.hpp"

namespace rnncheck::commands::fleet {

namespace {

RNNCHECK_ENUM(NamedBy, label, file)

constexpr const char* name_option =
    "Name of a node: its label 'node' (without this label, the file name), or always the file name";

struct ComparisonOptions {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(std::vector<std::string>, group_by,
                   "WHAT: Compare only nodes with the same gpu, os, rnncheck or label (its key); can be repeated; "
                   "default: gpu, os and rnncheck");
    RNNCHECK_FIELD(std::string, expect,
                   "FILE: Report with the expected values, instead of the most frequent values of the nodes");
    RNNCHECK_FIELD(std::optional<std::string>, nodes, "NODES: The nodes that should have reported, e.g. gpu[001-128]");
    RNNCHECK_FIELD(NamedBy, name, name_option) = NamedBy::label;
    RNNCHECK_FIELDS_END
};

struct MergeOptions {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD_AS(std::vector<std::string>, inputs, "REPORTS",
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
    RNNCHECK_FIELD_AS(std::vector<std::string>, inputs, "REPORTS", "Two files or directories: the earlier one first");
    RNNCHECK_FIELD(NamedBy, name, name_option) = NamedBy::label;
    RNNCHECK_FIELD(ReportOptions, report, "Output and exit code");
    RNNCHECK_FIELDS_END
};

Collection read(const std::vector<std::string>& inputs, NamedBy name) {
    const std::vector<std::string> files = report_files(inputs);
    std::ranges::for_each(files, protect_input);
    return read_reports(files, name == NamedBy::file);
}

int compare(MergeOptions& options, const CLI::App& app, const std::string& node) {
    begin_run(app, options.report);
    const ComparisonOptions& how = options.comparison;
    const Collection collection = read(options.inputs, how.name);
    FleetQuestion question{.group_by = how.group_by, .nodes = how.nodes, .only = node};
    if (!how.expect.empty()) {
        const Collection expected = read({how.expect}, how.name);
        if (expected.nodes.size() != 1 || !expected.unreadable.empty())
            throw InputError("--expect needs a file with one report that can be read");
        question.expected = expected.nodes.front();
    }
    if (!node.empty() && !collection.find(node)) throw UsageError("no report is of a node '" + escaped(node) + "'");
    return print_report(finished(compare_nodes(collection, question), options.report), options.report);
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
        throw UsageError("'rnncheck fleet diff' compares two collections: give two files or directories");
    const FleetDiff diff =
        changes_between(read({options.inputs.front()}, options.name), read({options.inputs.back()}, options.name));
    return print_report(finished(diff, options.report), options.report);
}

constexpr std::pair<const char*, Command> subcommands[] = {{"merge", {declared<MergeOptions, merge>}},
                                                           {"show", {declared<ShowOptions, show>}},
                                                           {"diff", {declared<DiffOptions, diff>}}};

}  // namespace

extern const Command command{[](CLI::App& app) { return declare_subcommands(app, subcommands); }};

}  // namespace rnncheck::commands::fleet
