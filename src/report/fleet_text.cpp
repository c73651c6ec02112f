// What `rnncheck fleet` prints in every format.
#include <algorithm>
#include <map>
#include <ranges>

#include "base/if_any.hpp"
#include "base/lists.hpp"
#include "base/text.hpp"
#include "matrix/row.hpp"
#include "report/outline.hpp"

namespace rnncheck {

namespace {

/// The outcomes are in the order of the verdicts.
OverallVerdict verdict_of(const Fleet& fleet) {
    return static_cast<OverallVerdict>(fleet.outcome);
}

/// "4 nodes: gpu[017,023]"; without a list where most nodes are meant.
std::string on_nodes(std::size_t count, const std::string& nodes) {
    return pluralized(count, "node", "nodes") + if_any(": ", nodes);
}

/// "535.183.01 on 4 nodes: gpu[017,023]".
std::string in_words(const FleetValue& value) {
    if (value.count == 0)
        return value.value + " is expected";
    return value.value + " on " + on_nodes(value.count, value.nodes);
}

/// The first field with its values, the names of the others: all of them divide
/// the nodes in the same way.
void write_fields(Page& page, const std::vector<const FleetField*>& fields) {
    constexpr std::size_t most_named = 4;
    const FleetField& first = *fields.front();
    std::string what = shown(first.what);
    if (first.agreement == FleetAgreement::no_majority)
        what += " (no value has a majority)";
    page.wrap("  ", what);
    for (const FleetValue& value : first.values) {
        std::string_view begin = "      ";
        if (value.differs)
            begin = "    ! ";
        page.wrap(begin, shown(in_words(value)), 8);
    }
    std::vector<std::string> others = mapped(
        fields | std::views::drop(1), [](const FleetField* field) { return shown(field->what); });
    if (others.size() > most_named && !page.is_verbose()) {
        const std::size_t more = others.size() - most_named;
        others.resize(most_named);
        others.push_back(std::to_string(more) + " more (-v lists them)");
    }
    if (!others.empty())
        page.wrap("      ", "the same nodes also differ in: " + join(others, ", "));
}

/// "The driver is too old (driver_too_old) on 2 nodes: gpu[017,023]".
std::string in_words(const FleetNodes& rule) {
    std::string name = rule.what;
    if (rule.title)
        name = *rule.title + " (" + rule.what + ')';
    return name + " on " + on_nodes(rule.count, rule.nodes);
}

std::string in_words(const FleetChange& change) {
    return concat(
        change.what,
        ": ",
        change.from,
        " -> ",
        change.to,
        " on ",
        on_nodes(change.count, change.nodes));
}

std::string in_words(const std::string& nodes) {
    return nodes;
}

/// Writes nothing if the list is empty.
template <class Thing>
void write_list(Page& page, std::string_view heading, const std::vector<Thing>& things) {
    if (!things.empty())
        page.heading(heading);
    for (const Thing& thing : things)
        page.wrap("  ", shown(in_words(thing)), 4);
}

void write_nodes(Page& page, std::string_view heading, const std::string& nodes) {
    if (!nodes.empty())
        write_list(page, heading, std::vector{nodes});
}

/// The largest group first; of a group only the fields in which nodes differ.
void write_groups(Page& page, const Fleet& fleet) {
    const auto who_has_which = [](const FleetField& field) {
        return mapped(field.values, &FleetValue::nodes);
    };
    for (const FleetGroup& group : fleet.groups) {
        page.heading(on_nodes(group.nodes, shown(group.name)));
        if (group.differences.empty())
            page.line("  all " + std::to_string(group.fields_compared) + " fields are the same");
        // Fields that divide the nodes in the same way have one cause and are printed together.
        for (const auto& [division, fields] : grouped(group.differences, who_has_which))
            write_fields(page, fields);
    }
}

std::string repeated_in_words(const Fleet& fleet) {
    return pluralized(fleet.repeated, "report", "reports") +
           " left out: the same node has a later one";
}

/// What has to be repaired first, then how nodes differ, then what is missing.
void write_body(Page& page, const Fleet& fleet) {
    write_list(page, "Problems", fleet.problems);
    write_list(page, "Warnings", fleet.warnings);
    write_groups(page, fleet);
    write_nodes(page, "No report", fleet.missing);
    write_nodes(page, "Undetermined", fleet.undetermined);
    const auto why = [](const FleetNodes& reports) { return reports.nodes + ": " + reports.what; };
    write_list(page, "Unreadable reports", mapped(fleet.unreadable, why));
    if (fleet.repeated == 0)
        return;
    page.line();
    page.wrap("", repeated_in_words(fleet));
}

/// Rules before facts: what has got better or worse, then why.
void write_body(Page& page, const FleetDiff& diff) {
    write_list(page, "Findings", diff.findings);
    write_list(page, "Changes", diff.changes);
    write_nodes(page, "Only in the first", diff.removed);
    write_nodes(page, "Only in the second", diff.added);
}

/// Any change counts, whichever direction it has.
OverallVerdict verdict_of(const FleetDiff& diff) {
    const bool is_same =
        diff.findings.empty() && diff.changes.empty() && diff.removed.empty() && diff.added.empty();
    if (is_same)
        return OverallVerdict::healthy;
    return OverallVerdict::problems;
}

template <class Document>
void write_whole(Page& page, const Document& document) {
    page.wrap(
        headline(document.tool, mark_of(verdict_of(document)), "", page),
        shown(document.sentence),
        2);
    if (!page.is_quiet())
        write_body(page, document);
}

/// The text form as the only section, for formats that have no other.
template <class Document>
Outline outline_of_nodes(const Document& document) {
    Outline outline = outline_with(document, verdict_of(document));
    outline.sections = {
        section(SectionKind::nodes, [&](Page& page) { write_body(page, document); })};
    return outline;
}

/// The name of the field only in its first row.
std::vector<OutlineCell> row_of(const FleetField& field, const FleetValue& value, bool is_first) {
    std::string name, who = "expected";
    std::optional<Mark> mark;
    if (is_first)
        name = field.what;
    if (value.differs)
        mark = Mark::warning;
    if (value.count > 0)
        who = on_nodes(value.count, value.nodes);
    return {{name}, {value.value, mark}, {who}};
}

/// What differs in each group, for formats that draw tables, and what no finding has.
std::vector<OutlineTable> tables_of(const Fleet& fleet) {
    std::vector<OutlineTable> tables;
    for (const FleetGroup& group : fleet.groups) {
        OutlineTable& table =
            tables.emplace_back(OutlineTable{on_nodes(group.nodes, group.name), {}, {}});
        for (const FleetField& field : group.differences)
            for (const FleetValue& value : field.values) {
                const bool is_first = &value == field.values.data();
                table.rows.push_back(row_of(field, value, is_first));
            }
        if (table.rows.empty())
            table.below.push_back(
                "All " + std::to_string(group.fields_compared) + " fields are the same");
        else
            table.columns = {"Field", "Value", "Nodes"};
    }
    OutlineTable rest;
    if (!fleet.undetermined.empty())
        rest.below.push_back("Undetermined: " + fleet.undetermined);
    if (fleet.repeated > 0)
        rest.below.push_back(repeated_in_words(fleet));
    if (!rest.below.empty())
        tables.push_back(std::move(rest));
    return tables;
}

/// The nodes first, for they are what is looked for; as many as fit into a title.
std::string title_about(const std::string& nodes, std::string_view what) {
    constexpr std::size_t most_columns = 60;

    if (nodes.size() <= most_columns)
        return concat(nodes, ": ", what);
    return concat(nodes.substr(0, nodes.rfind(',', most_columns)), ",...: ", what);
}

/// A finding about nodes, for formats that know nothing of fleets.
Finding finding_about(
    std::string rule,
    std::string title,
    Severity severity,
    const std::string& nodes,
    std::string message) {
    return {
        .rule = std::move(rule),
        .title = std::move(title),
        .severity = severity,
        .subject = nodes,
        .message = std::move(message),
    };
}

/// One for all in which the same nodes differ.
void add_odd_nodes(const FleetGroup& group, std::vector<Finding>& findings) {
    std::map<std::string, Finding> by_nodes;
    for (const FleetField& field : group.differences)
        for (const FleetValue& value : field.values) {
            if (!value.differs)
                continue;
            Finding& finding = by_nodes[value.nodes];
            const std::string usual = "; usually " + field.values.front().value;
            if (finding.rule.empty())
                finding = finding_about(
                    "fleet_node_differs",
                    title_about(value.nodes, field.what + " " + value.value),
                    Severity::warning,
                    value.nodes,
                    field.what + " " + in_words(value) + usual);
            else
                finding.evidence.push_back({field.what, value.value + usual, field.fact});
        }
    for (auto& [nodes, finding] : by_nodes) {
        if (!finding.evidence.empty())
            finding.message +=
                "; " + pluralized(finding.evidence.size(), "more difference", "more differences");
        findings.push_back(std::move(finding));
    }
}

/// For formats that list findings: a rule with its nodes is one, and so is a
/// set of odd nodes, a node without a report, and an unreadable report.
std::vector<Finding> findings_of(const Fleet& fleet) {
    std::vector<Finding> findings;
    for (const auto& [title, severity, lists] :
         {std::tuple("a problem", Severity::error, &fleet.problems),
          std::tuple("a warning", Severity::warning, &fleet.warnings)})
        for (const FleetNodes& list : *lists)
            findings.push_back(finding_about(
                list.what,
                title_about(list.nodes, list.title.value_or(title)),
                severity,
                list.nodes,
                "found on " + on_nodes(list.count, list.nodes)));
    for (const FleetGroup& group : fleet.groups)
        add_odd_nodes(group, findings);
    if (!fleet.missing.empty())
        findings.push_back(finding_about(
            "fleet_node_missing",
            title_about(fleet.missing, "no report"),
            Severity::warning,
            fleet.missing,
            fleet.missing + " did not report"));
    for (const FleetNodes& reports : fleet.unreadable)
        findings.push_back(finding_about(
            "fleet_report_unreadable",
            title_about(reports.nodes, "the report cannot be read"),
            Severity::warning,
            reports.nodes,
            reports.nodes + ": " + reports.what));
    return findings;
}

/// For spreadsheets: findings have no field, and values their place in the
/// facts.
std::vector<std::vector<std::string>> rows_of(const Fleet& fleet) {
    std::vector<std::vector<std::string>> rows = {
        {"group", "field", "value", "nodes", "usual", "differs"}};
    for (const Finding& finding : findings_of(fleet))
        if (finding.rule != "fleet_node_differs")  // has a row for each value below
            rows.push_back(
                {"", concat(finding.severity), finding.rule, finding.subject, "", "yes"});
    for (const FleetGroup& group : fleet.groups)
        for (const FleetField& field : group.differences) {
            std::string usual;
            if (field.agreement == FleetAgreement::majority)
                usual = field.values.front().value;
            for (const FleetValue& value : field.values)
                if (!value.nodes.empty())
                    rows.push_back(
                        {group.name,
                         field.fact,
                         value.value,
                         value.nodes,
                         usual,
                         cell_text(value.differs)});
        }
    return rows;
}

}  // namespace

/// The arguments behind the options of the command: the reports.
std::string next_command(const Fleet& fleet) {
    std::string command = "rnncheck fleet show " + shell_quoted(fleet.node_to_show);
    for (const std::string& option : fleet.options)
        if (!option.starts_with('-'))
            command += ' ' + shell_quoted(option);
    return command;
}

void write_document(Page& page, const Fleet& fleet) {
    write_whole(page, fleet);
    if (page.is_quiet() || fleet.node_to_show.empty())
        return;
    page.line();
    page.line("More: " + shown(next_command(fleet)));
}

void write_document(Page& page, const FleetDiff& diff) {
    write_whole(page, diff);
}

/// For formats: odd nodes as findings. Without any, one check that passes.
Outline outline_of(const Fleet& fleet) {
    Outline outline = outline_of_nodes(fleet);
    outline.word = name_of(fleet.outcome);
    outline.findings = findings_of(fleet);
    for (const Finding& finding : outline.findings)
        outline.checks.push_back({finding.rule, Outcome::fault, finding.message});
    if (outline.checks.empty())
        outline.checks.push_back({"fleet_node_differs", Outcome::pass, fleet.sentence});
    outline.rows = rows_of(fleet);
    OutlineSection& nodes = outline.sections.front();
    nodes.tables = tables_of(fleet);
    if (!outline.findings.empty())
        nodes.summary = "All values that differ, by group of nodes";
    return outline;
}

Outline outline_of(const FleetDiff& diff) {
    return outline_of_nodes(diff);
}

}  // namespace rnncheck
