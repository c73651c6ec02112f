// What comparing machines gives: two, or one at two times; or many, of which some nodes differ from
// the others.
#pragma once

#include "report/report.hpp"

namespace rnncheck {

/// `undetermined`: nothing differs, but something is known of only one of the two.
RNNCHECK_ENUM(DiffOutcome, same, different, undetermined)

/// Those of findings, and frameworks.
RNNCHECK_ENUM(DiffLayer, host, driver, gpu, runtime, cudnn, rnn, frameworks)

/// One of the two.
struct ComparedMachine {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(std::string, name, "the file, or this machine");
    RNNCHECK_FIELD(
        OverallVerdict,
        verdict,
        "its verdict by the rules and tables of this rnncheck") = OverallVerdict::undetermined;
    RNNCHECK_FIELD(std::string, sentence, "that verdict in one sentence") = {};
    RNNCHECK_FIELDS_END
};

/// One value, or one in several places, that is not the same.
struct Difference {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(DiffLayer, layer, "what it belongs to") = DiffLayer::host;
    RNNCHECK_FIELD(std::string, what, "the thing that differs") = {};
    RNNCHECK_FIELD(
        std::vector<std::string>,
        facts,
        "places in the facts; a list's element by its name, its directory left out") = {};
    RNNCHECK_FIELD(
        std::optional<std::string>,
        first,
        "its value in A; absent: unknown. 'absent' is known not to be there");
    RNNCHECK_FIELD(std::optional<std::string>, second, "its value in B");
    RNNCHECK_FIELD(
        bool,
        significant,
        "false where it is expected: times, and bits of another GPU or cuDNN") = true;
    RNNCHECK_FIELDS_END
};

/// `rnncheck diff A B --json`: why one machine works and another does not, or
/// what an update has changed. A and B are judged again by the rules of today.
struct Diff : RunStamp, Document<ToolStamp> {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(
        DiffOutcome,
        outcome,
        "different: in something that matters; undetermined: unknown on one side") =
        DiffOutcome::same;
    RNNCHECK_FIELD(std::string, sentence, "what differs that can explain another verdict") = {};
    RNNCHECK_FIELD(ComparedMachine, first, "the first");
    RNNCHECK_FIELD(ComparedMachine, second, "the second");
    RNNCHECK_FIELD(std::vector<Finding>, only_in_first, "errors and warnings of only the first");
    RNNCHECK_FIELD(std::vector<Finding>, only_in_second, "errors and warnings of only the second");
    RNNCHECK_FIELD(std::vector<Difference>, differences, "what differs, from the lowest layer up");
    RNNCHECK_FIELD(std::vector<Difference>, unknown, "what is known of only one of the two");
    RNNCHECK_FIELDS_END_AFTER(RunStamp, Document)
};

/// In the order of OverallVerdict, whose exit codes they have.
RNNCHECK_ENUM(FleetOutcome, alike, warnings, problems, incomplete)

/// `no_majority`: no value is that of two thirds of the nodes, so that none of them is odd.
RNNCHECK_ENUM(FleetAgreement, majority, no_majority)

/// One value of a field, and who has it.
struct FleetValue {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(std::string, value, "the value; for numbers the range and its unit");
    RNNCHECK_FIELD(std::size_t, count, "how many nodes have it") = 0;
    RNNCHECK_FIELD(
        std::string,
        nodes,
        "these nodes, in nodeset syntax; empty for the value that most have") = {};
    RNNCHECK_FIELD(
        bool,
        differs,
        "whether they are few; false for a second kind of machine and where there is no majority") =
        false;
    RNNCHECK_FIELDS_END
};

/// A field in which nodes of one group differ.
struct FleetField {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(std::string, what, "the thing that differs");
    RNNCHECK_FIELD(std::string, fact, "its place in the facts");
    RNNCHECK_FIELD(
        FleetAgreement,
        agreement,
        "majority, if more than two thirds of at least three nodes have one value") =
        FleetAgreement::majority;
    RNNCHECK_FIELD(
        std::vector<FleetValue>,
        values,
        "the values, that of most nodes or of --expect first") = {};
    RNNCHECK_FIELDS_END
};

/// Nodes that can be expected to be equal.
struct FleetGroup {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(std::string, name, "what its nodes have in common");
    RNNCHECK_FIELD(std::size_t, nodes, "how many there are") = 0;
    RNNCHECK_FIELD(std::size_t, fields_compared, "how many fields were compared") = 0;
    RNNCHECK_FIELD(std::vector<FleetField>, differences, "those in which nodes differ") = {};
    RNNCHECK_FIELDS_END
};

/// A set of nodes that have something in common: a rule's finding, or a report
/// that cannot be read for one reason.
struct FleetNodes {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(std::string, what, "the rule, or what is wrong with the report");
    RNNCHECK_FIELD(std::size_t, count, "how many nodes") = 0;
    RNNCHECK_FIELD(std::string, nodes, "these nodes, in nodeset syntax") = {};
    RNNCHECK_FIELD(std::optional<std::string>, title, "of a rule, as its findings are headed") = {};
    RNNCHECK_FIELDS_END
};

/// `rnncheck fleet merge --json`: the reports of many nodes in one. Values are
/// compared within groups of nodes that can be expected to be equal.
struct Fleet : RunStamp, Document<ToolStamp> {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(
        FleetOutcome,
        outcome,
        "the worst: problems, incomplete (nodes are missing, unreadable or "
        "undetermined), warnings (which "
        "nodes have or odd nodes are)") = FleetOutcome::alike;
    RNNCHECK_FIELD(std::string, sentence, "the outcome in one sentence") = {};
    RNNCHECK_FIELD(std::optional<std::size_t>, expected, "how many nodes --nodes names") = {};
    RNNCHECK_FIELD(std::size_t, read, "how many nodes' reports were read") = 0;
    RNNCHECK_FIELD(
        std::size_t,
        repeated,
        "how many reports were left out because the same node has a later one") = 0;
    RNNCHECK_FIELD(
        std::string,
        differing,
        "nodes that differ from the others of their group, in nodeset syntax") = {};
    RNNCHECK_FIELD(std::string, with_problems, "nodes with an error") = {};
    RNNCHECK_FIELD(std::string, undetermined, "nodes whose report has no verdict") = {};
    RNNCHECK_FIELD(std::string, missing, "nodes of --nodes without a report") = {};
    RNNCHECK_FIELD(std::vector<FleetNodes>, problems, "errors by rule") = {};
    RNNCHECK_FIELD(std::vector<FleetNodes>, warnings, "warnings by rule") = {};
    RNNCHECK_FIELD(
        std::vector<FleetNodes>, unreadable, "reports that could not be read, by reason") = {};
    RNNCHECK_FIELD(std::vector<FleetGroup>, groups, "the groups, largest first") = {};
    std::string node_to_show = {};  ///< the first with a problem or a difference; not printed
    RNNCHECK_FIELDS_END_AFTER(RunStamp, Document)
};

/// What changed from one collection to a later one, by field.
struct FleetChange {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(std::string, what, "the thing that changed");
    RNNCHECK_FIELD(std::string, from, "its earlier value");
    RNNCHECK_FIELD(std::string, to, "its later value");
    RNNCHECK_FIELD(std::size_t, count, "how many nodes") = 0;
    RNNCHECK_FIELD(std::string, nodes, "these nodes, in nodeset syntax") = {};
    RNNCHECK_FIELDS_END
};

/// `rnncheck fleet diff --json`: two collections of the same nodes.
struct FleetDiff : RunStamp, Document<ToolStamp> {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(std::string, sentence, "what changed, in one sentence") = {};
    RNNCHECK_FIELD(std::size_t, compared, "nodes with a report in both collections") = 0;
    RNNCHECK_FIELD(std::string, removed, "nodes with a report in only the first") = {};
    RNNCHECK_FIELD(std::string, added, "nodes with a report in only the second") = {};
    RNNCHECK_FIELD(
        std::vector<FleetChange>,
        findings,
        "rules that found something at one time alone, those of most nodes first") = {};
    RNNCHECK_FIELD(
        std::vector<FleetChange>, changes, "facts that changed, those of most nodes first") = {};
    RNNCHECK_FIELDS_END_AFTER(RunStamp, Document)
};

}  // namespace rnncheck
