#include "report/outline.hpp"

#include "base/text.hpp"
#include "report/sweep.hpp"

namespace rnncheck {

namespace {

std::string on_a_page(const std::function<void(Page&)>& write) {
    Page page({});
    write(page);
    return std::string(trim(page.text()));
}

std::map<int, std::map<RunEnd, int>> tests_by_end(const Facts& facts) {
    std::map<int, std::map<RunEnd, int>> tests;
    for (const Gpu& gpu : facts.cuda_devices) tests[gpu.index];
    for (const RnnRun& run : facts.rnn_runs) ++tests[run.gpu][run.end];
    return tests;
}

}  // namespace

Outline outline_of(const Report& report) {
    Outline outline{.tool = report.tool,
                    .run = report,
                    .verdict = report.verdict,
                    .sentence = report.sentence.empty() ? sentence_of(report) : report.sentence,
                    .findings = report.findings,
                    .checks = report.verdicts,
                    .tests = tests_by_end(report.facts),
                    .pictures = [&report] { return sweep_pictures(report.facts); },
                    .text = [&report](const Style& style) { return text_of(report, style); },
                    .json = [&report](JsonLines layout) { return json_text(report, layout); }};
    if (!from_logs_alone(report.facts)) outline.checklist = checklist_of(report);
    if (!report.facts.rnn_runs.empty()) {
        const auto table = [&](Page& page) { write_sweeps(page, report.facts, true); };
        outline.sections.push_back({"Recurrent networks", on_a_page(table)});
    }
    if (report.model) {
        const auto layers = [&](Page& page) { write_layers(page, *report.model); };
        outline.sections.push_back({"Recurrent layers", on_a_page(layers)});
    }
    if (report.lstm) {
        const auto extras = [&](Page& page) { write_lstm(page, *report.lstm); };
        outline.sections.push_back({"Further results", on_a_page(extras)});
    }
    std::erase_if(outline.sections, [](const OutlineSection& section) { return section.text.empty(); });
    return outline;
}

std::string gpu_of(const Finding& finding) {
    constexpr std::string_view begin = "GPU ";
    if (!finding.subject.starts_with(begin)) return "";
    const auto number = leading_number(std::string_view(finding.subject).substr(begin.size()));
    return number && *number >= 0 ? std::to_string(*number) : "";
}

}  // namespace rnncheck
