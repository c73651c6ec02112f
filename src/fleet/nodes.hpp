// The reports of many nodes, each reduced to its fields: small enough for a hundred thousand of them.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/fields.hpp"

namespace rnncheck {

/// A text of which one copy is kept, for all reports. Several threads may make them.
class Text {
  public:
    explicit Text(std::string_view text);
    /// Not while another thread makes one.
    const std::string& str() const;
    auto operator<=>(const Text&) const = default;

  private:
    std::uint32_t number_;
};

struct FleetNode {
    std::string name = {};
    std::string run_at = {};                            ///< ISO time, compared as text; "" when the report has none
    std::string verdict = {};                           ///< as the report has it; "" for facts that nobody judged
    std::map<Text, Text> findings = {};                 ///< "error driver_missing", and its title
    std::vector<std::pair<Text, Text>> values = {};     ///< field and value, by field
    std::vector<std::pair<Text, double>> numbers = {};  ///< that vary from run to run, of each GPU
    TextMap labels = {};
};

/// A report that could not be read: "gpu07.json:3" and why.
struct UnreadableReport {
    std::string name, why;
};

struct Collection {
    std::vector<FleetNode> nodes = {};  ///< by name, the latest report of each
    std::vector<UnreadableReport> unreadable = {};
    std::size_t repeated = 0;

    const FleetNode* find(std::string_view name) const;
};

/// Of files, directories (their *.json and *.ndjson) and "-", standard input. InputError for what does not exist, and
/// for a directory without reports.
std::vector<std::string> report_files(const std::vector<std::string>& inputs);

/// Each file holds one report or many, one after the other. With `name_by_file` a node's name is that of the file even
/// where the report has a label `node`.
Collection read_reports(const std::vector<std::string>& files, bool name_by_file = false);

/// The one report of a collection. InputError when there is not one.
const FleetNode& only_report(const Collection& collection);

}  // namespace rnncheck
