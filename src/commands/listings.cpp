#include "commands/listings.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/directory_list.hpp"
#include "base/program.hpp"
#include "base/text.hpp"
#include "commands/command.hpp"
#include "commands/ids.hpp"
#include "process/probe.hpp"
#include "rules/rule.hpp"

namespace rnncheck {

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
    for (const EmbeddedFile& table : matrix_tables()) {
        const auto json = nlohmann::json::parse(table.content, nullptr, false);
        items.push_back(named(table.name, json.is_object() ? json.value("about", "") : ""));
    }
    return items;
}

std::vector<ListItem> commands_listed() {
    std::vector<ListItem> items;
    for (const auto& command : all_commands())
        if (!command->hidden) items.push_back(named(command.name, command->title));
    return items;
}

struct Kind {
    const char* name;
    std::vector<ListItem> (*items)();
};

constexpr Kind kinds[] = {{"rules", rules_listed},
                          {"probes", probes_listed},
                          {"formats", formats_listed},
                          {"tables", tables_listed},
                          {"commands", commands_listed}};

}  // namespace

std::vector<std::string> listing_kinds() {
    std::vector<std::string> names;
    for (const Kind& kind : kinds) names.emplace_back(kind.name);
    return names;
}

ListDocument listing_of(const std::string& kind) {
    const auto found = std::find_if(std::begin(kinds), std::end(kinds), [&](const Kind& k) { return kind == k.name; });
    if (found == std::end(kinds)) complain_about_word(kind, "what to list", listing_kinds());
    ListDocument document;
    document.tool.version = version_of_rnncheck();
    document.kind = kind;
    document.items = found->items();
    return document;
}

}  // namespace rnncheck
