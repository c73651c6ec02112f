// Lists rules, probes, formats, tables or commands.
#include <CLI/CLI.hpp>

#include "base/lists.hpp"
#include "base/program.hpp"
#include "commands/common_options.hpp"
#include "process/probe.hpp"
#include "rules/rule.hpp"

namespace rnncheck::commands::list {

namespace {

/// What those of its kind have, beside name and title.
template <class Thing>
std::vector<ListItem> listed(std::span<const Named<Thing>> things) {
    std::vector<ListItem> items;
    for (const auto& thing : things) {
        ListItem& item =
            items.emplace_back(ListItem{std::string(thing.name), std::string(thing->title)});
        // Rules have all three, probes a stage, formats none.
        if constexpr (requires { thing->layer; })
            item.layer = name_of(thing->layer);
        if constexpr (requires { thing->max_severity; })
            item.worst = name_of(thing->max_severity);
        if constexpr (requires { thing->stage; })
            item.stage = name_of(thing->stage);
    }
    return items;
}

std::vector<ListItem> tables_listed() {
    return mapped(table_outlines(bundled_table_files()), [](const TableOutline& table) {
        return ListItem{table.name, table.about};
    });
}

/// Hidden commands have no title.
std::vector<ListItem> commands_listed() {
    std::vector<ListItem> items;
    for (const auto& command : all_commands())
        if (const std::string title = text_of_command(command.name).title; !title.empty())
            items.push_back({std::string(command.name), title});
    return items;
}

RNNCHECK_ENUM(Kind, rules, probes, formats, tables, commands)

std::vector<ListItem> items_of(Kind kind) {
    switch (kind) {
        case Kind::rules:
            return listed(all_rules());
        case Kind::probes:
            return listed(all_probes());
        case Kind::formats:
            return listed(all_formats());
        case Kind::tables:
            return tables_listed();
        default:
            return commands_listed();
    }
}

struct Options {
    std::optional<Kind> kind;
    ReportOptions document;
};

int run(Options& options) {
    if (!options.kind)
        throw UsageError(
            "'rnncheck list' needs one of rules, probes, formats, tables and commands");
    // Names of our own: nothing in them is private.
    options.document.show_private = true;
    const ListDocument document{{}, std::string(name_of(*options.kind)), items_of(*options.kind)};
    print_document(written(document, options.document));
    return healthy;
}

std::function<int()> declare(CLI::App& app) {
    const auto options = std::make_shared<Options>();
    add_choice(app, "KIND", options->kind, "What to list");
    add_json_option(app, options->document);
    return [options] { return run(*options); };
}

}  // namespace

extern const Command command{declare};

}  // namespace rnncheck::commands::list
