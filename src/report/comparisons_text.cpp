// What `rnncheck diff` prints in every format.
#include <algorithm>

#include "base/if_any.hpp"
#include "base/lists.hpp"
#include "base/text.hpp"
#include "matrix/row.hpp"
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
    constexpr const char* words[] = {
        "System", "Driver", "GPU", "CUDA", "cuDNN", "Networks", "Frameworks"};
    std::vector<std::string> of_a, of_b;
    for (const Difference& one : diff.unknown) {
        if (one.layer != layer)
            continue;
        if (one.first)
            of_b.push_back(one.what);
        else
            of_a.push_back(one.what);
    }
    ChecklistLine line{words[static_cast<std::size_t>(layer)], Mark::passed, {}};
    if (!of_a.empty() || !of_b.empty())
        line.mark = Mark::undetermined;
    for (const Difference& one : diff.differences) {
        if (one.layer != layer)
            continue;
        std::string_view expected = " (to be expected)";
        if (one.significant) {
            line.mark = Mark::warning;
            expected = "";
        }
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
    constexpr OverallVerdict verdicts[] = {
        OverallVerdict::healthy, OverallVerdict::problems, OverallVerdict::undetermined};
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
            rows.push_back(
                {kind,
                 concat(one.layer),
                 one.what,
                 in_words(one.first),
                 in_words(one.second),
                 cell_text(one.significant)});
    return rows;
}

}  // namespace

/// A and B with their verdicts, what only one of them has, then every
/// difference.
void write_document(Page& page, const Diff& diff) {
    const bool same_findings = diff.only_in_first.empty() && diff.only_in_second.empty();
    const bool differs = diff.outcome == DiffOutcome::different && same_findings;
    Mark mark = mark_of(verdict_of(diff));
    if (differs)
        mark = Mark::warning;  // the same findings: what differs explains none
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

}  // namespace rnncheck
