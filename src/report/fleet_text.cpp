// What `rnncheck fleet` prints in every format.
#include <map>

#include "base/text.hpp"
#include "report/documents.hpp"
#include "report/outline.hpp"
#include "report/text.hpp"

namespace rnncheck {

namespace {

OverallVerdict verdict_of(const Fleet& fleet) {
    constexpr OverallVerdict verdicts[] = {OverallVerdict::healthy, OverallVerdict::warnings, OverallVerdict::problems,
                                           OverallVerdict::undetermined};
    return verdicts[static_cast<std::size_t>(fleet.outcome)];
}

std::string on_nodes(std::size_t count, const std::string& nodes) {
    return pluralized(count, "node", "nodes") + (nodes.empty() ? "" : ": " + nodes);
}

/// "535.183.01 on 4 nodes: gpu[017,023]".
std::string in_words(const FleetValue& value) {
    return value.value + (value.count == 0 ? " is expected" : " on " + on_nodes(value.count, value.nodes));
}

/// Fields whose values divide the nodes in the same way have one cause, and stand together.
std::vector<std::vector<const FleetField*>> joined_fields(const FleetGroup& group) {
    std::vector<std::vector<const FleetField*>> lists;
    std::map<std::vector<std::string>, std::size_t> known;
    for (const FleetField& field : group.differences) {
        std::vector<std::string> division;
        for (const FleetValue& value : field.values) division.push_back(value.nodes);
        const auto [at, is_new] = known.try_emplace(std::move(division), lists.size());
        if (is_new) lists.emplace_back();
        lists[at->second].push_back(&field);
    }
    return lists;
}

void write_fields(Page& page, const std::vector<const FleetField*>& fields) {
    constexpr std::size_t most_named = 4;
    const FleetField& first = *fields.front();
    page.wrap("  ",
              shown(first.what) + (first.agreement == FleetAgreement::no_majority ? " (no value has a majority)" : ""));
    for (const FleetValue& value : first.values) page.wrap(value.odd ? "    ! " : "      ", shown(in_words(value)), 8);
    std::vector<std::string> others;
    for (const FleetField* field : fields) others.push_back(shown(field->what));
    others.erase(others.begin());
    if (others.size() > most_named && !page.is_verbose()) {
        const std::size_t more = others.size() - most_named;
        others.resize(most_named);
        others.push_back(std::to_string(more) + " more (-v lists them)");
    }
    if (!others.empty()) page.wrap("      ", "the same nodes also differ in: " + join(others, ", "));
}

void write_nodes(Page& page, std::string_view heading, const std::vector<FleetNodes>& lists) {
    if (lists.empty()) return;
    page.heading(heading);
    for (const FleetNodes& list : lists)
        page.wrap("  ",
                  shown((list.title ? *list.title + " (" + list.what + ')' : list.what) + " on " +
                        on_nodes(list.count, list.nodes)),
                  4);
}

void write_groups(Page& page, const Fleet& fleet) {
    for (const FleetGroup& group : fleet.groups) {
        page.heading(on_nodes(group.nodes, shown(group.name)));
        if (group.differences.empty())
            page.line("  all " + std::to_string(group.fields_compared) + " fields are the same");
        for (const auto& fields : joined_fields(group)) write_fields(page, fields);
    }
}

std::string body_of(const Fleet& fleet, const Style& style) {
    Page page(style);
    write_nodes(page, "Problems", fleet.problems);
    write_nodes(page, "Warnings", fleet.warnings);
    write_groups(page, fleet);
    const auto write_set = [&](const char* heading, const std::string& nodes) {
        if (nodes.empty()) return;
        page.heading(heading);
        page.wrap("  ", shown(nodes), 4);
    };
    write_set("No report", fleet.missing);
    write_set("Undetermined", fleet.undetermined);
    if (!fleet.unreadable.empty()) page.heading("Unreadable reports");
    for (const FleetNodes& reports : fleet.unreadable)
        page.wrap("  ", shown(reports.what) + ": " + shown(reports.nodes), 4);
    if (fleet.repeated > 0) {
        page.line();
        page.wrap("", pluralized(fleet.repeated, "report", "reports") + " left out: the same node has a later one");
    }
    return page.text();
}

std::string body_of(const FleetDiff& diff, const Style& style) {
    Page page(style);
    for (const auto& [heading, changes] : {std::pair("Findings", &diff.findings), {"Changes", &diff.changes}}) {
        if (!changes->empty()) page.heading(heading);
        for (const FleetChange& change : *changes)
            page.wrap("  ",
                      shown(change.what + ": " + change.from + " -> " + change.to + " on " +
                            on_nodes(change.count, change.nodes)),
                      4);
    }
    for (const auto& [heading, nodes] :
         {std::pair("Only in the first", &diff.gone), {"Only in the second", &diff.added}})
        if (!nodes->empty()) {
            page.heading(heading);
            page.wrap("  ", shown(*nodes), 4);
        }
    return page.text();
}

template <class Document>
std::string text_of(const Document& document, OverallVerdict verdict, const Style& style) {
    Page page(style);
    page.wrap(headline(document.tool, mark_of(verdict), "", page), shown(document.sentence), 2);
    return page.text() + (style.quiet ? "" : body_of(document, style));
}

Finding finding_about(std::string rule, std::string title, Severity severity, const std::string& nodes,
                      std::string message) {
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
            if (!value.odd) continue;
            const std::string& usual = field.values.front().value;
            const auto [at, is_new] = by_nodes.try_emplace(
                value.nodes, finding_about("fleet_node_differs", "Nodes that differ from the others", Severity::warning,
                                           value.nodes, ""));
            Finding& finding = at->second;
            if (is_new)
                finding.message = field.what + " is " + in_words(value) + "; usual is " + usual;
            else
                finding.evidence.push_back({field.what, value.value + "; usual is " + usual, field.fact});
        }
    for (auto& [nodes, finding] : by_nodes) {
        if (!finding.evidence.empty())
            finding.message += "; " + pluralized(finding.evidence.size(), "more difference", "more differences");
        findings.push_back(std::move(finding));
    }
}

std::vector<Finding> findings_of(const Fleet& fleet) {
    std::vector<Finding> findings;
    for (const auto& [title, severity, lists] :
         {std::tuple("Nodes with a problem", Severity::error, &fleet.problems),
          std::tuple("Nodes with a warning", Severity::warning, &fleet.warnings)})
        for (const FleetNodes& list : *lists)
            findings.push_back(finding_about(list.what, list.title.value_or(title), severity, list.nodes,
                                             "found on " + on_nodes(list.count, list.nodes)));
    for (const FleetGroup& group : fleet.groups) add_odd_nodes(group, findings);
    if (!fleet.missing.empty())
        findings.push_back(finding_about("fleet_node_missing", "Nodes without a report", Severity::warning,
                                         fleet.missing, "no report came of " + fleet.missing));
    for (const FleetNodes& reports : fleet.unreadable)
        findings.push_back(finding_about("fleet_report_unreadable", "Reports that cannot be read", Severity::warning,
                                         reports.nodes, reports.what + ": " + reports.nodes));
    return findings;
}

std::vector<std::vector<std::string>> rows_of(const Fleet& fleet) {
    std::vector<std::vector<std::string>> rows = {{"group", "field", "value", "nodes", "usual", "odd"}};
    for (const Finding& finding : findings_of(fleet))
        if (finding.rule != "fleet_node_differs")  // has a row for each value below
            rows.push_back({"", std::string(name_of(finding.severity)), finding.rule, finding.subject, "", "yes"});
    for (const FleetGroup& group : fleet.groups)
        for (const FleetField& field : group.differences)
            for (const FleetValue& value : field.values)
                if (!value.nodes.empty())
                    rows.push_back({group.name, field.fact, value.value, value.nodes,
                                    field.agreement == FleetAgreement::majority ? field.values.front().value : "",
                                    value.odd ? "yes" : "no"});
    return rows;
}

template <class Document>
Outline outline_with(const Document& document, OverallVerdict verdict) {
    return {.tool = document.tool,
            .run = document,
            .verdict = verdict,
            .sentence = document.sentence,
            .sections =
                [&document] {
                    return std::vector<OutlineSection>{{"Nodes", body_of(document, {})}};
                },
            .text = [&document, verdict](const Style& style) { return text_of(document, verdict, style); },
            .json = [&document](JsonLines layout) { return json_text(document, layout); }};
}

}  // namespace

Outline outline_of(const Fleet& fleet) {
    Outline outline = outline_with(fleet, verdict_of(fleet));
    outline.word = name_of(fleet.outcome);
    outline.findings = findings_of(fleet);
    for (const Finding& finding : outline.findings)
        outline.checks.push_back({finding.rule, Outcome::fault, finding.message});
    if (outline.checks.empty()) outline.checks.push_back({"fleet_node_differs", Outcome::pass, fleet.sentence});
    outline.rows = [&fleet] { return rows_of(fleet); };
    return outline;
}

Outline outline_of(const FleetDiff& diff) {
    const bool is_same = diff.findings.empty() && diff.changes.empty() && diff.gone.empty() && diff.added.empty();
    return outline_with(diff, is_same ? OverallVerdict::healthy : OverallVerdict::problems);
}

}  // namespace rnncheck
