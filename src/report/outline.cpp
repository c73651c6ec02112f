// The outline of a report; those of other documents are where these are printed.
#include "report/outline.hpp"

#include <algorithm>

#include "base/if_any.hpp"
#include "base/text.hpp"
#include "report/sweep.hpp"

namespace rnncheck {

/// What the text form prints below the findings; sections without text are left
/// out.
static std::vector<OutlineSection> sections_of(const Report& report) {
    std::vector<OutlineSection> sections = {
        section(
            SectionKind::networks, [&](Page& page) { write_sweeps(page, report.facts, true, ""); }),
        section(
            SectionKind::layers,
            [&](Page& page) {
                if (report.model)
                    write_layers(page, *report.model);
            }),
        section(SectionKind::further_results, [&](Page& page) {
            if (report.lstm)
                write_lstm(page, *report.lstm);
        })};
    sections.front().tables = tables_of_sweeps(report.facts);
    if (report.command != "lstm")
        sections.front().summary = "Results by cuDNN installation and kind of network";
    std::erase_if(sections, [](const OutlineSection& section) { return section.text.empty(); });
    return sections;
}

/// Every GPU that CUDA lists, also one on which nothing was run.
static std::map<int, std::map<RunEnd, int>> tests_by_end(const Facts& facts) {
    std::map<int, std::map<RunEnd, int>> tests;
    // With 0 tests, so that a monitoring system sees a GPU on which nothing
    // ran.
    for (const Gpu& gpu : facts.cuda_devices)
        tests[gpu.index];
    for (const RnnRun& run : facts.rnn_runs)
        ++tests[run.gpu][run.end];
    return tests;
}

/// Without the empty lines around it, which belong to the page.
OutlineSection section(SectionKind kind, const std::function<void(Page&)>& write) {
    constexpr const char* headings[] = {
        "Recurrent networks", "Recurrent layers", "Further results", "Nodes"};
    Page page({});
    write(page);
    std::string text = page.text();
    text.erase(text.find_last_not_of('\n') + 1);
    text.erase(0, text.find_first_not_of('\n'));
    return {kind, headings[static_cast<std::size_t>(kind)], std::move(text)};
}

/// Of a log alone there is no checklist: nothing was examined.
Outline outline_of(const Report& report) {
    Outline outline = outline_with(report, report.verdict);
    outline.sentence = sentence_of(report);
    outline.hidden = hidden_in_words(report);
    outline.findings = report.findings;
    if (report.facts.log)
        outline.log = &*report.facts.log;
    outline.checks = report.verdicts;
    outline.tests = tests_by_end(report.facts);
    if (report.about != About::log)
        outline.checklist = checklist_of(report);
    outline.sections = sections_of(report);
    outline.pictures = [&report] { return sweep_pictures(report.facts); };
    return outline;
}

/// "rnncheck 0.1.0 (3f2c1a0), compatibility data of 2026-11-21, run at ... for
/// 12 s: rnncheck doctor --no-run; node=gpu017".
std::string about_run(const Outline& outline) {
    std::string text = "rnncheck " + outline.tool.version;
    if (outline.tool.commit)
        text += " (" + *outline.tool.commit + ")";
    if (!outline.tool.matrix_date.empty())
        text += ", compatibility data of " + outline.tool.matrix_date;
    if (!outline.run.run_at.empty())
        text += ", run at " + outline.run.run_at + " for " +
                short_number(outline.run.duration_ms / 1000) + " s: rnncheck " +
                outline.run.command;
    for (const std::string& option : outline.run.options)
        text += ' ' + shell_quoted(option);
    for (const auto& [name, value] : outline.run.labels)
        text += "; " + name + "=" + value;
    return text + if_any(". ", outline.hidden);
}

std::vector<const RuleVerdict*> faults_without_finding(const Outline& outline) {
    std::vector<const RuleVerdict*> faults;
    for (const RuleVerdict& check : outline.checks)
        if (check.outcome == Outcome::fault &&
            !find_by(outline.findings, &Finding::rule, check.rule))
            faults.push_back(&check);
    return faults;
}

std::string message_of(const Finding& finding) {
    const bool is_certain = finding.confidence == Confidence::certain;
    if (is_certain)
        return finding.message;
    return std::string(name_of(finding.confidence)) + ": " + finding.message;
}

/// By the source of the evidence: "log.first_error", or "log.events[3]".
std::optional<LogPlace> quoted_line(const Evidence& evidence, const Log& log) {
    constexpr std::string_view list = "log.events[";
    if (evidence.source == "log.first_error" && log.first_error_line)
        return LogPlace{0, *log.first_error_line};
    if (!evidence.source.starts_with(list))
        return std::nullopt;
    const auto index = leading_number(std::string_view(evidence.source).substr(list.size()));
    if (!index || *index < 0 || *index >= std::ssize(log.events))
        return std::nullopt;
    const LogEvent& event = log.events[static_cast<std::size_t>(*index)];
    return LogPlace{std::ranges::find(log.files, event.file) - log.files.begin(), event.line};
}

}  // namespace rnncheck
