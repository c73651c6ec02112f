// Lists rules, probes, formats, tables or commands.
#include <algorithm>

#include "base/program.hpp"
#include "commands/common_options.hpp"
#include "process/probe.hpp"
#include "rules/rule.hpp"

namespace rnncheck::commands::list {

namespace {

template <class Thing>
std::string text_name(Thing value) {
    return std::string(name_of(value));
}

std::vector<ListItem> rules_listed() {
    std::vector<ListItem> items;
    for (const auto& rule : all_rules())
        items.push_back({std::string(rule.name), std::string(rule->title), text_name(rule->layer),
                         text_name(rule->max_severity), text_name(rule->stage)});
    return items;
}

std::vector<ListItem> probes_listed() {
    std::vector<ListItem> items;
    for (const auto& probe : all_probes())
        items.push_back(
            {.name = std::string(probe.name), .title = std::string(probe->title), .stage = text_name(probe->stage)});
    return items;
}

std::vector<ListItem> formats_listed() {
    std::vector<ListItem> items;
    for (const auto& format : all_formats()) items.push_back({std::string(format.name), std::string(format->title)});
    return items;
}

std::vector<ListItem> tables_listed() {
    std::vector<ListItem> items;
    for (const TableOutline& table : table_outlines(bundled_table_files())) items.push_back({table.name, table.about});
    return items;
}

std::vector<ListItem> commands_listed() {
    std::vector<ListItem> items;
    for (const auto& command : all_commands())
        if (!command->hidden) items.push_back({std::string(command.name), std::string(command->title)});
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

std::function<int()> declare(CLI::App& app) {
    const auto document = std::make_shared<ListDocument>();
    const auto options = std::make_shared<DocumentOptions>();
    app.add_option("KIND", document->kind, "One of " + join_with_and(kind_names()));
    add_json_option(app, options->json);
    return [document, options]() -> int {
        const std::string& kind = document->kind;
        if (kind.empty()) throw UsageError("'rnncheck list' needs one of " + join_with_and(kind_names()));
        const auto found = std::ranges::find(kinds, kind, [](const auto& entry) { return entry.first; });
        if (found == std::end(kinds)) reject_word(kind, "KIND", kind_names());
        document->items = found->second();
        print_document(written(*document, *options));
        return healthy;
    };
}

}  // namespace

extern const Command command{
    .title = "List rules, probes, formats, tables or commands", .examples = "rnncheck list rules", .declare = declare};

}  // namespace rnncheck::commands::list
