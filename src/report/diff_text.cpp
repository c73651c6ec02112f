// What `rnncheck diff` prints in every format.
#include <algorithm>
#include <ranges>

#include "base/text.hpp"
#include "report/documents.hpp"
#include "report/outline.hpp"
#include "report/text.hpp"

namespace rnncheck {

namespace {

std::string in_words(const std::optional<std::string>& value) {
    return !value ? "unknown" : value->empty() ? "empty" : *value;
}

/// What differs in a layer, then what is unknown there.
ChecklistLine line_of(const Diff& diff, DiffLayer layer) {
    constexpr const char* words[] = {"System", "Driver", "GPU", "CUDA", "cuDNN", "Networks", "Frameworks"};
    ChecklistLine line{words[static_cast<std::size_t>(layer)], Mark::passed, {}};
    for (const auto& [member, begin] :
         {std::pair(&Difference::a, "unknown in A: "), {&Difference::b, "unknown in B: "}}) {
        std::vector<std::string> things;
        for (const Difference& one : diff.unknown)
            if (one.layer == layer && !(one.*member)) things.push_back(one.what);
        if (things.empty()) continue;
        line.mark = Mark::undetermined;
        line.rows.push_back(begin + shown(join(things, ", ")));
    }
    for (const Difference& one : std::views::reverse(diff.differences)) {
        if (one.layer != layer) continue;
        if (one.matters) line.mark = Mark::warning;
        line.rows.insert(line.rows.begin(), shown(one.what + ": " + in_words(one.a) + " -> " + in_words(one.b) +
                                                  (one.matters ? "" : " (to be expected)")));
    }
    return line;
}

std::vector<ChecklistLine> lines_of(const Diff& diff) {
    std::vector<ChecklistLine> lines;
    for (std::size_t i = 0; i < names_of(DiffLayer{}).size(); ++i)
        lines.push_back(line_of(diff, static_cast<DiffLayer>(i)));
    return lines;
}

std::vector<ChecklistLine> machines_of(const Diff& diff) {
    return {{"A", mark_of(diff.a.verdict), {shown(diff.a.name + ": " + diff.a.sentence)}},
            {"B", mark_of(diff.b.verdict), {shown(diff.b.name + ": " + diff.b.sentence)}}};
}

OverallVerdict verdict_of(const Diff& diff) {
    constexpr OverallVerdict verdicts[] = {OverallVerdict::healthy, OverallVerdict::problems,
                                           OverallVerdict::undetermined};
    return verdicts[static_cast<std::size_t>(diff.outcome)];
}

/// Of only_in_a and only_in_b, told apart by their messages.
std::vector<Finding> findings_of(const Diff& diff) {
    std::vector<Finding> all;
    for (const auto& [findings, begin] : {std::pair(&diff.only_in_a, "only in A: "), {&diff.only_in_b, "only in B: "}})
        for (Finding finding : *findings) {
            finding.message = begin + finding.message;
            all.push_back(std::move(finding));
        }
    return all;
}

/// One for each rule whose findings only one of the two has, and one for each layer.
std::vector<RuleVerdict> checks_of(const Diff& diff) {
    std::vector<RuleVerdict> checks;
    for (const Finding& finding : findings_of(diff))
        if (!find_by(checks, &RuleVerdict::rule, finding.rule))
            checks.push_back({finding.rule, Outcome::fault, finding.message, {}, {}, finding.layer});
    std::size_t place = 0;
    for (const ChecklistLine& line : lines_of(diff)) {
        const Outcome outcome = line.mark == Mark::warning  ? Outcome::fault
                                : line.mark == Mark::passed ? Outcome::pass
                                                            : Outcome::undecided;
        const auto layer = static_cast<Layer>(std::min(place, names_of(Layer{}).size() - 1));
        const std::string reason = line.rows.empty() ? "nothing differs" : join(line.rows, "; ");
        checks.push_back({std::string(names_of(DiffLayer{})[place++]), outcome, reason, {}, {}, layer});
    }
    return checks;
}

/// Findings of one side alone, then differences, then what one side does not know.
std::vector<std::vector<std::string>> rows_of(const Diff& diff) {
    std::vector<std::vector<std::string>> rows = {{"kind", "layer", "what", "a", "b", "matters"}};
    const std::string there = "present", not_there = "absent";
    for (const bool in_a : {true, false})
        for (const Finding& finding : in_a ? diff.only_in_a : diff.only_in_b)
            rows.push_back({std::string(name_of(finding.severity)), std::string(name_of(finding.layer)), finding.rule,
                            in_a ? there : not_there, in_a ? not_there : there, "yes"});
    for (const auto& [kind, list] : {std::pair("difference", &diff.differences), {"unknown", &diff.unknown}})
        for (const Difference& one : *list)
            rows.push_back({kind, std::string(name_of(one.layer)), one.what, in_words(one.a), in_words(one.b),
                            one.matters ? "yes" : "no"});
    return rows;
}

}  // namespace

void write_document(Page& page, const Diff& diff) {
    const bool same_findings = diff.only_in_a.empty() && diff.only_in_b.empty();
    const bool differs = diff.outcome == DiffOutcome::different && same_findings;
    const std::string first = headline(diff.tool, differs ? Mark::warning : mark_of(verdict_of(diff)), "", page);
    if (page.is_quiet()) return page.line(first + shown(diff.sentence));
    page.wrap(first, shown(diff.sentence), 2);
    page.line();
    write_checklist(page, machines_of(diff));
    const std::vector<Finding> findings = findings_of(diff);
    if (!findings.empty()) page.heading("Findings");
    for (const Finding& finding : findings) page.wrap("  " + shown(finding.rule) + ": ", shown(finding.message), 4);
    if (!diff.differences.empty() || !diff.unknown.empty()) page.heading("Differences, from A to B");
    write_checklist(page, lines_of(diff));
}

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
