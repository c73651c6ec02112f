#include "report/outline.hpp"

#include "base/text.hpp"
#include "report/sweep.hpp"

namespace rnncheck {

namespace {

std::vector<OutlineSection> sections_of(const Report& report) {
    Page sweeps({}), layers({}), extras({});
    write_sweeps(sweeps, report.facts, true);
    if (report.model) write_layers(layers, *report.model);
    if (report.lstm) write_lstm(extras, *report.lstm);
    std::string cases = sweeps.text();
    cases.erase(0, cases.find("\n  ") + 1);  // the heading, which the section has
    std::vector<OutlineSection> sections = {{"Recurrent networks", cases},
                                            {"Recurrent layers", std::string(trim(layers.text()))},
                                            {"Further results", std::string(trim(extras.text()))}};
    std::erase_if(sections, [](const OutlineSection& section) { return section.text.empty(); });
    return sections;
}

std::map<int, std::map<RunEnd, int>> tests_by_end(const Facts& facts) {
    std::map<int, std::map<RunEnd, int>> tests;
    for (const Gpu& gpu : facts.cuda_devices) tests[gpu.index];
    for (const RnnRun& run : facts.rnn_runs) ++tests[run.gpu][run.end];
    return tests;
}

}  // namespace

Outline outline_of(const Report& report) {
    return {.tool = report.tool,
            .run = report,
            .verdict = report.verdict,
            .sentence = sentence_of(report),
            .hidden = hidden_in_words(report),
            .findings = report.findings,
            .checks = report.verdicts,
            .tests = tests_by_end(report.facts),
            .checklist =
                [&report] { return from_logs_alone(report.facts) ? no_such<ChecklistLine>() : checklist_of(report); },
            .sections = [&report] { return sections_of(report); },
            .pictures = [&report] { return sweep_pictures(report.facts); },
            .text = [&report](const Style& style) { return text_of(report, style); },
            .json = [&report](JsonLines layout) { return json_text(report, layout); }};
}

std::string about_run(const Outline& outline) {
    std::string text = "rnncheck " + outline.tool.version;
    if (outline.tool.commit) text += " (" + *outline.tool.commit + ")";
    if (!outline.tool.matrix_date.empty()) text += ", compatibility data of " + outline.tool.matrix_date;
    if (!outline.run.run_at.empty())
        text += ", run at " + outline.run.run_at + " for " + short_number(outline.run.duration_ms / 1000) +
                " s: rnncheck " + outline.run.command;
    for (const std::string& option : outline.run.options) text += ' ' + shell_quoted(option);
    for (const auto& [name, value] : outline.run.labels) text += "; " + name + "=" + value;
    return text + (outline.hidden.empty() ? "" : ". " + outline.hidden);
}

std::vector<const RuleVerdict*> faults_without_finding(const Outline& outline) {
    std::vector<const RuleVerdict*> faults;
    for (const RuleVerdict& check : outline.checks)
        if (check.outcome == Outcome::fault && !find_by(outline.findings, &Finding::rule, check.rule))
            faults.push_back(&check);
    return faults;
}

std::string message_of(const Finding& finding) {
    const bool is_certain = finding.confidence == Confidence::certain;
    return (is_certain ? "" : std::string(name_of(finding.confidence)) + ": ") + finding.message;
}

std::string gpu_of(const Finding& finding) {
    constexpr std::string_view begin = "GPU ";
    const std::size_t at = (' ' + finding.subject).find(' ' + std::string(begin));
    if (at == std::string::npos) return "";
    const auto number = leading_number(std::string_view(finding.subject).substr(at + begin.size()));
    return number && *number >= 0 ? std::to_string(*number) : "";
}

}  // namespace rnncheck
