// What `rnncheck diff` and `rnncheck fleet` print in every format.
#include <algorithm>
#include <map>
#include <ranges>

#include "base/if_any.hpp"
#include "base/lists.hpp"
#include "base/text.hpp"
#include "report/outline.hpp"

namespace rnncheck {

namespace {

/// Nothing in the facts is unknown, an empty text is a value.
std::string in_words(const std::optional<std::string>& value) {
    if (!value)
        return "unknown";
    if (value->empty())
        return "empty";
    return *value;
}

/// What differs in a layer, then what is unknown there.
ChecklistLine line_of(const Diff& diff, DiffLayer layer) {
    constexpr const char* words[] = {"System", "Driver",   "GPU",       "CUDA",
                                     "cuDNN",  "Networks", "Frameworks"};
    std::vector<std::string> of_a, of_b;
    for (const Difference& one : diff.unknown) {
        std::vector<std::string>& of_one = one.first ? of_b : of_a;
        if (one.layer == layer)
            of_one.push_back(one.what);
    }
    const bool is_known = of_a.empty() && of_b.empty();
    ChecklistLine line{
        words[static_cast<std::size_t>(layer)], is_known ? Mark::passed : Mark::undetermined, {}};
    for (const Difference& one : diff.differences) {
        if (one.layer != layer)
            continue;
        if (one.significant)
            line.mark = Mark::warning;
        const std::string_view expected = one.significant ? "" : " (to be expected)";
        line.rows.push_back(shown(
            concat(one.what, ": ", in_words(one.first), " -> ", in_words(one.second), expected)));
    }
    if (!of_a.empty())
        line.rows.push_back("unknown in A: " + shown(join(of_a, ", ")));
    if (!of_b.empty())
        line.rows.push_back("unknown in B: " + shown(join(of_b, ", ")));
    return line;
}

/// A line for each layer, from the lowest up; without rows where nothing
/// differs.
std::vector<ChecklistLine> lines_of(const Diff& diff) {
    std::vector<ChecklistLine> lines;
    for (std::size_t i = 0; i < names_of(DiffLayer{}).size(); ++i)
        lines.push_back(line_of(diff, static_cast<DiffLayer>(i)));
    return lines;
}

/// What "A" and "B" are, each with its own verdict.
std::vector<ChecklistLine> machines_of(const Diff& diff) {
    return {
        {"A", mark_of(diff.first.verdict), {shown(diff.first.name + ": " + diff.first.sentence)}},
        {"B",
         mark_of(diff.second.verdict),
         {shown(diff.second.name + ": " + diff.second.sentence)}}};
}

/// Formats know verdicts only: a difference counts like a problem.
OverallVerdict verdict_of(const Diff& diff) {
    constexpr OverallVerdict verdicts[] = {OverallVerdict::healthy, OverallVerdict::problems,
                                           OverallVerdict::undetermined};
    return verdicts[static_cast<std::size_t>(diff.outcome)];
}

/// Findings of only_in_first and only_in_second, distinguished by their messages.
std::vector<Finding> findings_of(const Diff& diff) {
    std::vector<Finding> all;
    for (const auto& [findings, begin] :
         {std::pair(&diff.only_in_first, "only in A: "), {&diff.only_in_second, "only in B: "}})
        for (Finding finding : *findings) {
            finding.message = begin + finding.message;
            all.push_back(std::move(finding));
        }
    return all;
}

/// Of a layer: whether its two sides are the same.
Outcome outcome_of(Mark mark) {
    if (mark == Mark::warning)
        return Outcome::fault;
    if (mark == Mark::passed)
        return Outcome::pass;
    return Outcome::undecided;
}

/// One for each rule whose findings only one of the two has, and one for each layer.
std::vector<RuleVerdict> checks_of(const Diff& diff) {
    std::vector<RuleVerdict> checks;
    for (const Finding& finding : findings_of(diff))
        if (!find_by(checks, &RuleVerdict::rule, finding.rule))
            checks.push_back(
                {finding.rule, Outcome::fault, finding.message, {}, {}, finding.layer});
    std::size_t place = 0;
    for (const ChecklistLine& line : lines_of(diff)) {
        const Outcome outcome = outcome_of(line.mark);
        const auto layer = static_cast<Layer>(std::min(place, names_of(Layer{}).size() - 1));
        std::string reason = join(mapped(line.rows, &ChecklistRow::whole), "; ");
        if (line.rows.empty())
            reason = "nothing differs";
        checks.push_back(
            {std::string(names_of(DiffLayer{})[place++]), outcome, reason, {}, {}, layer});
    }
    return checks;
}

/// Findings of only one side, then differences, then what is unknown on one side.
std::vector<std::vector<std::string>> rows_of(const Diff& diff) {
    std::vector<std::vector<std::string>> rows = {
        {"kind", "layer", "what", "first", "second", "significant"}};
    const auto add = [&](const Finding& finding, const char* a, const char* b) {
        rows.push_back(
            {concat(finding.severity), concat(finding.layer), finding.rule, a, b, "yes"});
    };
    for (const Finding& finding : diff.only_in_first)
        add(finding, "present", "absent");
    for (const Finding& finding : diff.only_in_second)
        add(finding, "absent", "present");
    for (const auto& [kind, list] :
         {std::pair("difference", &diff.differences), {"unknown", &diff.unknown}})
        for (const Difference& one : *list)
            rows.push_back({kind, concat(one.layer), one.what, in_words(one.first),
                            in_words(one.second), one.significant ? "yes" : "no"});
    return rows;
}

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
    for (const FleetValue& value : first.values)
        page.wrap(value.differs ? "    ! " : "      ", shown(in_words(value)), 8);
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
    const std::string name = rule.title ? *rule.title + " (" + rule.what + ')' : rule.what;
    return name + " on " + on_nodes(rule.count, rule.nodes);
}

std::string in_words(const FleetChange& change) {
    return concat(change.what, ": ", change.from, " -> ", change.to, " on ",
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
    const std::size_t changes =
        diff.findings.size() + diff.changes.size() + diff.removed.size() + diff.added.size();
    return changes == 0 ? OverallVerdict::healthy : OverallVerdict::problems;
}

template <class Document>
void write_whole(Page& page, const Document& document) {
    page.wrap(headline(document.tool, mark_of(verdict_of(document)), "", page),
              shown(document.sentence), 2);
    if (!page.is_quiet())
        write_body(page, document);
}

template <class Document>
/// The text form as the only section, for formats that have no other.
Outline outline_of_nodes(const Document& document) {
    Outline outline = outline_with(document, verdict_of(document));
    outline.sections = {
        section(SectionKind::nodes, [&](Page& page) { write_body(page, document); })};
    return outline;
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
                table.rows.push_back(
                    {{is_first ? field.what : ""},
                     {value.value, value.differs ? std::optional(Mark::warning) : std::nullopt},
                     {value.count == 0 ? "expected" : on_nodes(value.count, value.nodes)}});
            }
        if (table.rows.empty())
            table.below.push_back("All " + std::to_string(group.fields_compared) +
                                  " fields are the same");
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
Finding finding_about(std::string rule, std::string title, Severity severity,
                      const std::string& nodes, std::string message) {
    return {.rule = std::move(rule),
            .title = std::move(title),
            .severity = severity,
            .subject = nodes,
            .message = std::move(message)};
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
                    "fleet_node_differs", title_about(value.nodes, field.what + " " + value.value),
                    Severity::warning, value.nodes, field.what + " " + in_words(value) + usual);
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
                list.what, title_about(list.nodes, list.title.value_or(title)), severity,
                list.nodes, "found on " + on_nodes(list.count, list.nodes)));
    for (const FleetGroup& group : fleet.groups)
        add_odd_nodes(group, findings);
    if (!fleet.missing.empty())
        findings.push_back(finding_about("fleet_node_missing",
                                         title_about(fleet.missing, "no report"), Severity::warning,
                                         fleet.missing, fleet.missing + " did not report"));
    for (const FleetNodes& reports : fleet.unreadable)
        findings.push_back(finding_about(
            "fleet_report_unreadable", title_about(reports.nodes, "the report cannot be read"),
            Severity::warning, reports.nodes, reports.nodes + ": " + reports.what));
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
            const bool has_usual = field.agreement == FleetAgreement::majority;
            const std::string usual = has_usual ? field.values.front().value : "";
            for (const FleetValue& value : field.values)
                if (!value.nodes.empty())
                    rows.push_back({group.name, field.fact, value.value, value.nodes, usual,
                                    value.differs ? "yes" : "no"});
        }
    return rows;
}

}  // namespace

/// A and B with their verdicts, what only one of them has, then every
/// difference.
void write_document(Page& page, const Diff& diff) {
    const bool same_findings = diff.only_in_first.empty() && diff.only_in_second.empty();
    const bool differs = diff.outcome == DiffOutcome::different && same_findings;
    const Mark mark = differs ? Mark::warning : mark_of(verdict_of(diff));
    const std::string first = headline(diff.tool, mark, "", page);
    if (page.is_quiet())
        return page.line(first + shown(diff.sentence));
    page.wrap(first, shown(diff.sentence), 2);
    page.line();
    write_checklist(page, machines_of(diff));
    const std::vector<Finding> findings = findings_of(diff);
    if (!findings.empty())
        page.heading("Findings");
    for (const Finding& finding : findings)
        page.wrap("  " + shown(finding.rule) + ": ", shown(finding.message), 4);
    if (!diff.differences.empty() || !diff.unknown.empty())
        page.heading("Differences, from A to B");
    write_checklist(page, lines_of(diff));
}

/// For formats: the differences as checks, one for each layer.
Outline outline_of(const Diff& diff) {
    Outline outline = outline_with(diff, verdict_of(diff));
    outline.word = name_of(diff.outcome);
    outline.findings = findings_of(diff);
    outline.checks = checks_of(diff);
    outline.checklist_heading = "Comparison, from A to B";
    outline.checklist = machines_of(diff);
    append(outline.checklist, lines_of(diff));
    std::erase_if(outline.checklist, [](const ChecklistLine& line) { return line.rows.empty(); });
    outline.rows = rows_of(diff);
    return outline;
}

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
