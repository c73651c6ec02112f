// What comparing the reports of many machines gives: which nodes differ from the others, and in what.
#pragma once

#include "report/report.hpp"

namespace rnncheck {

enum class FleetOutcome { alike, warnings, problems, incomplete };
RNNCHECK_ENUM_NAMES(FleetOutcome, "alike", "warnings", "problems", "incomplete")

/// `no_majority`: no value is that of two thirds of the nodes, so that none of them is odd.
enum class FleetAgreement { majority, no_majority };
RNNCHECK_ENUM_NAMES(FleetAgreement, "majority", "no_majority")

/// One value of a field, and who has it.
struct FleetValue {
    std::string value;
    std::size_t count = 0;
    std::string nodes = {};
    bool odd = false;

    static void fields(auto& self, auto&& visit) {
        visit("value", self.value, "the value; for numbers the range and its unit");
        visit("count", self.count, "how many nodes have it");
        visit("nodes", self.nodes, "these nodes, in nodeset syntax; empty for the value that most have");
        visit("odd", self.odd,
              "whether they are few; false for a second kind of machine and where there is no majority");
    }
};

/// A field in which nodes of one group differ.
struct FleetField {
    std::string what;
    std::string fact;
    FleetAgreement agreement = FleetAgreement::majority;
    std::vector<FleetValue> values = {};

    static void fields(auto& self, auto&& visit) {
        visit("what", self.what, "the thing that differs");
        visit("fact", self.fact, "its place in the facts");
        visit("agreement", self.agreement, "majority, if more than two thirds of at least three nodes have one value");
        visit("values", self.values, "the values, that of most nodes or of --expect first");
    }
};

/// Nodes that can be expected to be equal.
struct FleetGroup {
    std::string name;
    std::size_t nodes = 0;
    std::size_t fields_compared = 0;
    std::vector<FleetField> differences = {};

    static void fields(auto& self, auto&& visit) {
        visit("name", self.name, "what its nodes have in common");
        visit("nodes", self.nodes, "how many there are");
        visit("fields_compared", self.fields_compared, "how many fields were compared");
        visit("differences", self.differences, "those in which nodes differ");
    }
};

struct FleetNodes {
    std::string what;
    std::size_t count = 0;
    std::string nodes = {};
    std::optional<std::string> title = {};

    static void fields(auto& self, auto&& visit) {
        visit("what", self.what, "the rule, or what is wrong with the report");
        visit("count", self.count, "how many nodes");
        visit("nodes", self.nodes, "these nodes, in nodeset syntax");
        visit("title", self.title, "of a rule, as its findings are headed");
    }
};

struct Fleet : RunStamp {
    int schema = 1;
    ToolStamp tool;
    FleetOutcome outcome = FleetOutcome::alike;
    std::string sentence = {};
    std::optional<std::size_t> expected = {};
    std::size_t read = 0;
    std::size_t repeated = 0;
    std::string odd = {};
    std::string with_problems = {};
    std::string undetermined = {};
    std::string missing = {};
    std::vector<FleetNodes> problems = {}, warnings = {};
    std::vector<FleetNodes> unreadable = {};
    std::vector<FleetGroup> groups = {};

    static void fields(auto& self, auto&& visit) {
        visit("schema", self.schema, "number of this form of the document");
        visit("tool", self.tool, "who wrote it");
        RunStamp::fields(self, visit);
        visit("outcome", self.outcome,
              "the worst: problems, incomplete (nodes are missing, unreadable or undetermined), warnings (which nodes "
              "have "
              "or odd nodes are)");
        visit("sentence", self.sentence, "the outcome in one sentence");
        visit("expected", self.expected, "how many nodes --nodes names");
        visit("read", self.read, "how many nodes' reports were read");
        visit("repeated", self.repeated, "how many reports were left out because the same node has a later one");
        visit("odd", self.odd, "nodes that differ from the others of their group, in nodeset syntax");
        visit("with_problems", self.with_problems, "nodes with an error");
        visit("undetermined", self.undetermined, "nodes whose report has no verdict");
        visit("missing", self.missing, "nodes of --nodes without a report");
        visit("problems", self.problems, "errors by rule");
        visit("warnings", self.warnings, "warnings by rule");
        visit("unreadable", self.unreadable, "reports that could not be read, by reason");
        visit("groups", self.groups, "the groups, largest first");
    }
};

/// What changed from one collection to a later one, by field.
struct FleetChange {
    std::string what, from, to;
    std::size_t count = 0;
    std::string nodes = {};

    static void fields(auto& self, auto&& visit) {
        visit("what", self.what, "the thing that changed");
        visit("from", self.from, "its earlier value");
        visit("to", self.to, "its later value");
        visit("count", self.count, "how many nodes");
        visit("nodes", self.nodes, "these nodes, in nodeset syntax");
    }
};

struct FleetDiff : RunStamp {
    int schema = 1;
    ToolStamp tool;
    std::string sentence = {};
    std::size_t compared = 0;
    std::string gone = {};
    std::string added = {};
    std::vector<FleetChange> findings = {}, changes = {};

    static void fields(auto& self, auto&& visit) {
        visit("schema", self.schema, "number of this form of the document");
        visit("tool", self.tool, "who wrote it");
        RunStamp::fields(self, visit);
        visit("sentence", self.sentence, "what changed, in one sentence");
        visit("compared", self.compared, "nodes with a report in both collections");
        visit("gone", self.gone, "nodes with a report in the first alone");
        visit("added", self.added, "nodes with a report in the second alone");
        visit("findings", self.findings, "rules that found something at one time alone, those of most nodes first");
        visit("changes", self.changes, "facts that changed, those of most nodes first");
    }
};

}  // namespace rnncheck
