// The reports of many nodes, each reduced to its fields: small enough for a hundred thousand of them.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace rnncheck {

/// Texts, each kept once and known by a number.
class Texts {
  public:
    std::uint32_t number_of(std::string_view text);
    const std::string& operator[](std::uint32_t number) const { return texts_[number]; }
    std::optional<std::uint32_t> find(std::string_view text) const;

  private:
    std::deque<std::string> texts_;
    std::unordered_map<std::string_view, std::uint32_t> numbers_;
};

/// A number that varies from run to run: of one GPU, or of the node (gpu -1).
struct FleetSample {
    std::uint32_t field = 0;
    int gpu = -1;
    double value = 0;
};

struct FleetNode {
    std::string name;
    std::string run_at;                           ///< ISO time, compared as text; "" when the report has none
    std::string verdict;                          ///< as the report has it; "" for facts that nobody judged
    std::vector<std::uint32_t> errors, warnings;  ///< rules
    std::vector<std::pair<std::uint32_t, std::uint32_t>> values;  ///< field and value, by field
    std::vector<FleetSample> samples;
    std::vector<std::pair<std::string, std::string>> labels;
};

/// A report that could not be read: "gpu07.json:3" and why.
struct UnreadableReport {
    std::string name, why;
};

struct Collection {
    Texts texts;
    std::vector<FleetNode> nodes;  ///< by name, the latest report of each
    std::vector<UnreadableReport> unreadable;
    std::size_t repeated = 0;
    std::map<std::string, std::string> titles;  ///< of the rules that found something

    const FleetNode* find(std::string_view name) const;

    /// The node with the numbers of `other` for its texts.
    FleetNode renumbered(FleetNode node, Texts& other) const;
};

/// Of files, directories (their *.json and *.ndjson) and "-", standard input. InputError for what does not exist, and
/// for a directory without reports.
std::vector<std::string> report_files(const std::vector<std::string>& inputs);

/// Each file holds one report or many, one after the other. With `name_by_file` a node's name is that of the file even
/// where the report has a label `node`.
Collection read_reports(std::vector<std::string> files, bool name_by_file = false);

/// The one report of a collection. InputError when there is not one.
const FleetNode& only_report(const Collection& collection);

}  // namespace rnncheck
