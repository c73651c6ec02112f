// Machines compared: two, or the nodes of a fleet with each other or with themselves at an earlier
// time. Of many nodes, the reports are reduced to their fields: small enough for a hundred thousand
// of them.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "report/comparisons.hpp"

namespace rnncheck {

/// A text that is stored once for all reports. Several threads may create texts.
class Text {
  public:
    explicit Text(std::string_view text);
    /// Must not be called while another thread creates one.
    const std::string& str() const;
    auto operator<=>(const Text&) const = default;

  private:
    std::uint32_t number_;
};

/// One report, reduced to what is compared.
struct FleetNode {
    std::string name = {};
    std::string run_at = {};   ///< ISO time, compared as text; "" when the report has none
    std::string verdict = {};  ///< as the report has it; "" for facts that nobody judged
    std::map<Text, Text> findings = {};                 ///< "error driver_missing", and its title
    std::vector<std::pair<Text, Text>> values = {};     ///< field and value, by field
    std::vector<std::pair<Text, double>> numbers = {};  ///< that vary from run to run, of each GPU
    TextMap labels = {};
};

/// A report that could not be read: "gpu07.json:3" and why.
struct UnreadableReport {
    std::string name, why;
};

/// All reports that were read, of every node the latest one.
struct Collection {
    std::vector<FleetNode> nodes = {};  ///< by name, the latest report of each
    std::vector<UnreadableReport> unreadable = {};
    std::size_t repeated = 0;

    const FleetNode* find(std::string_view name) const;
};

/// Of files, directories (their *.json and *.ndjson) and "-", standard input. InputError for what
/// does not exist, and for a directory without reports.
std::vector<std::string> report_files(const std::vector<std::string>& inputs);

/// Each file holds one report or many, one after the other. With `name_by_file` a node's name is
/// that of the file even where the report has a label `node`.
Collection read_reports(const std::vector<std::string>& files, bool name_by_file = false);

/// What differs between A and B, and which difference explains best why their findings do. Both
/// have to be judged by the same rules and tables, so that a finding of only one of them is not due
/// to another rnncheck.
Diff diff(
    const Report& a, const std::string& name_of_a, const Report& b, const std::string& name_of_b);

/// How nodes are to be compared.
struct FleetQuestion {
    std::vector<std::string> group_by =
        {};  ///< gpu, os, rnncheck, or a label's key; empty: the first three
    std::optional<std::string> nodes = {};   ///< who should have reported, in nodeset syntax
    std::optional<FleetNode> expected = {};  ///< its values in place of what most nodes have
    std::string only = {};                   ///< keeps what concerns this node
};

/// UsageError for an invalid nodeset.
Fleet compare_nodes(const Collection& collection, const FleetQuestion& question);

/// What changed from one collection to a later one: facts, rules with findings, and nodes that are
/// in only one of them. Of a node without a report in both nothing is known to have changed.
FleetDiff changes_between(const Collection& before, const Collection& after);

/// Names of nodes as cluster tools write them, "gpu[001-016,018],login1": sorted, with each name
/// once; numbers with different padding are different ranges.
std::string nodeset_of(std::vector<std::string> names);

/// "gpu[001-500]" for the name "gpu001-500", which somebody may mean by it; empty for other names.
std::string range_meant_by(const std::string& name);

/// The names. UsageError if the text is not a nodeset or has more than a million names.
std::vector<std::string> names_of_nodeset(std::string_view nodeset);

}  // namespace rnncheck
