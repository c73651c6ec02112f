// Nodes compared with each other, or with themselves at an earlier time.
#pragma once

#include "fleet/nodes.hpp"
#include "report/fleet.hpp"

namespace rnncheck {

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
