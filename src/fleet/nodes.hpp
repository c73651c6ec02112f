// What comparing nodes and finding their changes share: the values of a node, and lists of what
// several nodes have in common.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>

#include "fleet/fleet.hpp"

namespace rnncheck {

using Names = std::vector<std::string>;

/// As the report has it; null where it has none. The values are sorted by field.
const Text* known_value(const FleetNode& node, Text field);

/// The value of a node, if it is known; "absent" if the probe that would have shown
/// one completed.
std::optional<std::string_view> value_of(const FleetNode& node, Text field);

/// Without what distinguishes cases of one number: "rnn_tests[fp32 lstm case 4 v8 #123].digest".
std::string place_of(Text field);

/// Each with the names of its nodes; those of most nodes first.
template <class Item, class Key>
std::vector<Item> by_count(const std::map<Key, Names>& names, auto item_of) {
    std::vector<Item> list;
    for (const auto& [what, nodes] : names) {
        Item& item = list.emplace_back(item_of(what));
        item.count = nodes.size();
        item.nodes = nodeset_of(nodes);
    }
    std::ranges::stable_sort(list, std::greater(), &Item::count);
    return list;
}

}  // namespace rnncheck
