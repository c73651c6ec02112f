// Lists rules, probes, formats, tables or commands.
#include <algorithm>

#include "base/program.hpp"
#include "commands/command.hpp"
#include "commands/common_options.hpp"
#include "commands/tables.hpp"
#include "matrix/table_view.hpp"
#include "process/probe.hpp"
#include "report/documents.hpp"
#include "report/text.hpp"
#include "rules/rule.hpp"

namespace rnncheck::commands::list {

namespace {

ListItem named(std::string_view name, std::string_view title) {
    ListItem item;
    item.name = name;
    item.title = title;
    return item;
}

std::vector<ListItem> rules_listed() {
    std::vector<ListItem> items;
    for (const auto& rule : all_rules()) {
        items.push_back(named(rule.name, rule->title));
        items.back().layer = name_of(rule->layer);
        items.back().worst = name_of(rule->max_severity);
        items.back().stage = name_of(rule->stage);
    }
    return items;
}

std::vector<ListItem> probes_listed() {
    std::vector<ListItem> items;
    for (const auto& probe : all_probes()) {
        items.push_back(named(probe.name, probe->title));
        items.back().stage = name_of(probe->stage);
    }
    return items;
}

std::vector<ListItem> formats_listed() {
    std::vector<ListItem> items;
    for (const auto& format : all_formats()) items.push_back(named(format.name, format->title));
    return items;
}

std::vector<ListItem> tables_listed() {
    std::vector<ListItem> items;
    for (const TableOutline& table : table_outlines(bundled_table_files()))
        items.push_back(named(table.name, table.about));
    return items;
}

std::vector<ListItem> commands_listed() {
    std::vector<ListItem> items;
    for (const auto& command : all_commands())
        if (!command->hidden) items.push_back(named(command.name, command->title));
    return items;
}

constexpr std::pair<const char*, std::vector<ListItem> (*)()> kinds[] = {{"rules", rules_listed},
                                                                         {"probes", probes_listed},
                                                                         {"formats", formats_listed},
                                                                         {"tables", tables_listed},
                                                                         {"commands", commands_listed}};

std::vector<std::string> kind_names() {
    std::vector<std::string> names;
    for (const auto& [name, items] : kinds) names.emplace_back(name);
    return names;
}

std::string as_lines(const ListDocument& document) {
    std::size_t width = 0;
    for (const ListItem& entry : document.items) width = std::max(width, entry.name.size());
    std::string text;
    for (const ListItem& entry : document.items)
        text += entry.title.empty() ? entry.name + '\n' : padded(entry.name, width) + "  " + entry.title + '\n';
    return text;
}

int run(const std::string& kind, bool json) {
    const auto found = std::ranges::find(kinds, kind, [](const auto& entry) { return std::string_view(entry.first); });
    if (kind.empty()) throw UsageError("'rnncheck list' needs one of " + join_with_and(kind_names()));
    if (found == std::end(kinds)) reject_word(kind, "KIND", kind_names());
    ListDocument document;
    document.tool.version = version_of_rnncheck();
    document.kind = kind;
    document.items = found->second();
    print_document(json ? json_text(document) : as_lines(document));
    return healthy;
}

std::function<int()> declare(CLI::App& app) {
    const auto kind = std::make_shared<std::string>();
    const auto json = std::make_shared<bool>(false);
    app.add_option("KIND", *kind, "One of " + join_with_and(kind_names()));
    add_json_option(app, *json);
    return [kind, json] { return run(*kind, *json); };
}

}  // namespace

extern const Command command{
    .title = "List rules, probes, formats, tables or commands", .examples = "rnncheck list rules", .declare = declare};

}  // namespace rnncheck::commands::list
