// Lists rules, probes, formats, tables or commands.

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
        if constexpr (requires { thing->hidden; })
            if (thing->hidden) continue;
        ListItem& item = items.emplace_back(ListItem{std::string(thing.name), std::string(thing->title)});
        if constexpr (requires { thing->layer; }) item.layer = name_of(thing->layer);
        if constexpr (requires { thing->max_severity; }) item.worst = name_of(thing->max_severity);
        if constexpr (requires { thing->stage; }) item.stage = name_of(thing->stage);
    }
    return items;
}

std::vector<ListItem> tables_listed() {
    std::vector<ListItem> items;
    for (const TableOutline& table : table_outlines(bundled_table_files())) items.push_back({table.name, table.about});
    return items;
}

constexpr std::pair<std::string_view, std::vector<ListItem> (*)()> kinds[] = {
    {"rules", [] { return listed(all_rules()); }},
    {"probes", [] { return listed(all_probes()); }},
    {"formats", [] { return listed(all_formats()); }},
    {"tables", tables_listed},
    {"commands", [] { return listed(all_commands()); }}};

std::vector<std::string> kind_names() {
    std::vector<std::string> names;
    for (const auto& [name, items] : kinds) names.emplace_back(name);
    return names;
}

std::function<int()> declare(CLI::App& app) {
    const auto document = std::make_shared<ListDocument>();
    const auto options = std::make_shared<DocumentOptions>(DocumentOptions{.show_private = true});
    app.add_option("KIND", document->kind, "One of " + join_with_and(kind_names()));
    add_json_option(app, options->json);
    return [document, options]() -> int {
        const std::string& kind = document->kind;
        if (kind.empty()) throw UsageError("'rnncheck list' needs one of " + join_with_and(kind_names()));
        const auto* found = find_where(kinds, [&](const auto& known) { return known.first == kind; });
        if (!found) reject_word(kind, "KIND", kind_names());
        document->items = found->second();
        print_document(written(*document, *options));
        return healthy;
    };
}

}  // namespace

extern const Command command{
    .title = "List rules, probes, formats, tables or commands", .examples = "rnncheck list rules", .declare = declare};

}  // namespace rnncheck::commands::list
