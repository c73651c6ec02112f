// Machines compared: two, or the nodes of a fleet with each other or with themselves at an earlier time.
#pragma once

#include "fleet/nodes.hpp"
#include "report/comparisons.hpp"

namespace rnncheck {

/// Both judged by the same rules and tables.
Diff diff(const Report& a, const std::string& name_of_a, const Report& b, const std::string& name_of_b);

struct FleetQuestion {
    std::vector<std::string> group_by = {};  ///< gpu, os, rnncheck, or a label's key; empty: the first three
    std::optional<std::string> nodes = {};   ///< who should have reported, in nodeset syntax
    std::optional<FleetNode> expected = {};  ///< its values in place of what most nodes have
    std::string only = {};                   ///< keeps what concerns this node
};

/// UsageError for a nodeset that is none.
Fleet compare_nodes(const Collection& collection, const FleetQuestion& question);

/// Of facts, and of the rules with findings.
FleetDiff changes_between(const Collection& before, const Collection& after);

}  // namespace rnncheck
