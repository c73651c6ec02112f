// Compares the reports of many machines.
#include "fleet/fleet.hpp"

#include <algorithm>

#include "commands/common_options.hpp"
#include "commands/output.hpp"

namespace rnncheck::commands::fleet {

namespace {

RNNCHECK_ENUM(NamedBy, label, file)

struct Options {
    std::vector<std::string> inputs, group_by;
    std::string nodes, expect, node;
    NamedBy named_by = NamedBy::label;
};

Collection read(const std::vector<std::string>& inputs, const Options& options) {
    const std::vector<std::string> files = report_files(inputs);
    std::ranges::for_each(files, protect_input);
    return read_reports(files, options.named_by == NamedBy::file);
}

int compare(const Options& options, const ReportOptions& report_options) {
    const Collection collection = read(options.inputs, options);
    FleetQuestion question{.group_by = options.group_by};
    if (!options.nodes.empty()) question.nodes = options.nodes;
    if (!options.expect.empty()) question.expected = only_report(read({options.expect}, options));
    if (!options.node.empty() && !collection.find(options.node))
        throw UsageError("no report is of a node '" + escaped(options.node) + "'");
    question.only = options.node;
    return print_report(finished(compare_nodes(collection, question), report_options), report_options);
}

int compare_times(const Options& options, const ReportOptions& report_options) {
    if (options.inputs.size() != 2)
        throw UsageError("'rnncheck fleet diff' compares two collections: give two files or directories");
    const FleetDiff diff =
        changes_between(read({options.inputs.front()}, options), read({options.inputs.back()}, options));
    return print_report(finished(diff, report_options), report_options);
}

void add_comparison_options(CLI::App& app, Options& options) {
    begin_group(app, "What is compared");
    add_list(app, "--group-by", options.group_by,
             "What nodes that are compared with each other have in common: gpu, os, rnncheck, or the key of a label; "
             "repeatable; default: these three",
             "WHAT");
    add_option(app, "--expect", into(options.expect),
               "A report whose values all nodes are to have, instead of the most frequent ones", "FILE");
    add_option(app, "--nodes", into(options.nodes), "The nodes that should have reported, e.g. gpu[001-128]", "NODES");
}

std::function<int()> declare(CLI::App& app) {
    app.require_subcommand(1);
    const auto runs = std::make_shared<std::map<const CLI::App*, std::function<int()>>>();
    const auto add = [&](const char* name, const char* title, int (*run)(const Options&, const ReportOptions&),
                         const char* inputs, std::string_view examples) {
        CLI::App* sub = app.add_subcommand(name, title);
        const auto options = std::make_shared<Options>();
        if (std::string_view(name) == "show") sub->add_option("NODE", options->node, "The node")->required();
        sub->add_option("REPORTS", options->inputs, inputs)->required();
        if (run == compare) add_comparison_options(*sub, *options);
        add_choice<NamedBy>(
            *sub, "--name",
            "What a node's name is: its label 'node' (the file's name without one), or always the file's name",
            into(options->named_by));
        begin_group(*sub, "Output and exit code");
        (*runs)[sub] = [options, run, report_options = declare_report_options(*sub)] {
            return run(*options, report_options());
        };
        add_examples(*sub, examples);
    };
    const char* reports = "Files or directories with reports (--json), one or many in a file; - is standard input";
    add("merge", "Compare the nodes of a fleet, and name those that differ", compare, reports,
        "rnncheck fleet merge reports/\n"
        "rnncheck fleet merge reports/ --nodes gpu[001-128] --format csv");
    add("show", "Show in what one node differs from the others", compare, reports,
        "rnncheck fleet show gpu017 reports/");
    add("diff", "Show what changed from one collection of reports to a later one", compare_times,
        "The two files or directories", "rnncheck fleet diff yesterday/ today/");
    return [runs, &app] { return runs->at(app.get_subcommands().front())(); };
}

}  // namespace

extern const Command command{.title = "Compare the reports of many machines",
                             .examples =
                                 "rnncheck fleet merge reports/\n"
                                 "rnncheck fleet show gpu017 reports/\n"
                                 "rnncheck fleet diff yesterday/ today/",
                             .declare = declare};

}  // namespace rnncheck::commands::fleet
