#include "report/report.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace rnncheck {

namespace {

/// What was run on a GPU; empty where nothing was. A case that failed for a kernel that no version of cuDNN promises is
/// at most a note, and does not count.
std::string what_ran(const Report& report) {
    const Facts& facts = report.facts;
    const bool failures_count = std::any_of(report.findings.begin(), report.findings.end(), [](const Finding& f) {
        return f.layer >= Layer::gpu && f.severity != Severity::note;
    });
    std::size_t right = 0, bad = 0;
    for (const RnnRun& run : facts.rnn_runs) {
        right += run.end == RunEnd::ok;
        bad += run.end == RunEnd::incorrect ||
               (failures_count && (run.end == RunEnd::rejected || run.end == RunEnd::failed));
    }
    if (bad > 0)
        return "recurrent networks failed or gave wrong results in " + std::to_string(bad) + " of " +
               pluralized(bad + right, "case", "cases");
    if (right > 0) return "recurrent networks gave right results in " + pluralized(right, "case", "cases");
    const bool kernel_ran = std::any_of(facts.kernel_runs.begin(), facts.kernel_runs.end(),
                                        [](const KernelRun& run) { return run.correct.has_value(); });
    return kernel_ran ? "a tiny kernel ran on a GPU, but no recurrent network could be run" : "";
}

std::string why_nothing_ran(const Facts& facts) {
    if (!stage_was_run(facts, Stage::ask)) return "only files were looked at and nothing was run on a GPU, as asked";
    if (!stage_was_run(facts, Stage::run)) return "nothing was run on a GPU, as asked";
    return "nothing could be run on a GPU";
}

std::string findings_counted(const Report& report) {
    const auto of = [&](Severity severity) {
        return static_cast<std::size_t>(std::count_if(report.findings.begin(), report.findings.end(),
                                                      [&](const Finding& f) { return f.severity == severity; }));
    };
    std::vector<std::string> parts;
    if (const auto errors = of(Severity::error)) parts.push_back(pluralized(errors, "problem", "problems"));
    if (const auto warnings = of(Severity::warning)) parts.push_back(pluralized(warnings, "warning", "warnings"));
    if (report.verdict == Health::undetermined) parts.push_back("no verdict: some checks could not be decided");
    return join(parts, ", ");
}

/// The first error is the lowest: what stands on it may work again when it is repaired. Warnings need no repair before
/// anything else works.
const Finding* first_to_repair(const Report& report) {
    const auto found = std::find_if(report.findings.begin(), report.findings.end(),
                                    [](const Finding& f) { return f.severity == Severity::error; });
    return found == report.findings.end() ? nullptr : &*found;
}

/// Without a machine: how much of what the tables can tell could be asked.
std::string questions_answered(const Report& report) {
    const auto lacking =
        std::ranges::count(report.verdicts, std::optional(NotAsked::needs_values), &RuleVerdict::not_asked);
    const auto answers = static_cast<std::size_t>(report.counts.pass + report.counts.fault);
    return "the tables decide " + pluralized(answers, "check", "checks") + ", " + std::to_string(lacking) +
           " more need values that were not given";
}

std::string counted_and_run(const Report& report) {
    const std::string found = findings_counted(report), nothing = "no problem found";
    if (only_given(report.facts)) return (found.empty() ? nothing : found) + "; " + questions_answered(report);
    const std::string ran = what_ran(report);
    if (!ran.empty()) return (found.empty() ? nothing : found) + "; " + ran;
    return (found.empty() ? nothing + " in what was examined, but " : found + "; ") + why_nothing_ran(report.facts);
}

std::string how_sure(const Finding& finding) {
    switch (finding.confidence) {
        case Confidence::certain:
            return "the cause";
        case Confidence::likely:
            return "the likely cause";
        case Confidence::possible:
            break;
    }
    return "first to look at";
}

std::string about_log(const Report& report) {
    if (report.findings.empty()) return "nothing in the log is an error";
    const Finding& first = report.findings.front();
    const auto faults = static_cast<std::size_t>(std::count_if(
        report.findings.begin(), report.findings.end(), [](const Finding& f) { return f.severity != Severity::note; }));
    if (faults == 0) return first.message;
    const std::string others =
        faults > 1 ? "; " + pluralized(faults - 1, "other is possible", "others are possible") : std::string();
    return how_sure(first) + ": " + first.message + others;
}

}  // namespace

std::string sentence_of(const Report& report) {
    if (from_logs_alone(report.facts)) return about_log(report);
    const Finding* first = first_to_repair(report);
    return counted_and_run(report) + (first ? "; repair first: " + first->message : "");
}

}  // namespace rnncheck
