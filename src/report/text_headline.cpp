#include <algorithm>

#include "base/text.hpp"
#include "report/text_parts.hpp"

namespace rnncheck {

namespace {

struct Cases {
    std::size_t right = 0, bad = 0;
};

Cases count_cases(const Facts& facts) {
    Cases cases;
    for (const RnnRun& run : facts.rnn_runs) {
        cases.right += run.end == RunEnd::ok;
        cases.bad += run.end == RunEnd::refused || run.end == RunEnd::failed || run.end == RunEnd::wrong;
    }
    return cases;
}

bool run_was_switched_off(const Facts& facts) {
    const auto& stages = facts.tool.stages;
    return !stages.empty() && std::find(stages.begin(), stages.end(), "run") == stages.end();
}

std::string recurrent_networks(const Facts& facts) {
    const Cases cases = count_cases(facts);
    if (cases.bad > 0)
        return "recurrent networks went wrong in " + std::to_string(cases.bad) + " of " +
               counted(cases.bad + cases.right, "case", "cases");
    if (cases.right > 0) return "recurrent networks gave right results in " + counted(cases.right, "case", "cases");
    if (run_was_switched_off(facts)) return "recurrent networks were not run, as asked";
    return "recurrent networks could not be run here";
}

std::string findings_counted(const Report& report) {
    const auto of = [&](Severity severity) {
        return static_cast<std::size_t>(std::count_if(report.findings.begin(), report.findings.end(),
                                                      [&](const Finding& f) { return f.severity == severity; }));
    };
    std::vector<std::string> parts;
    if (const auto errors = of(Severity::error)) parts.push_back(counted(errors, "problem", "problems"));
    if (const auto warnings = of(Severity::warning)) parts.push_back(counted(warnings, "warning", "warnings"));
    if (report.verdict == Health::undetermined) parts.push_back("no verdict: some checks could not tell");
    if (parts.empty()) return "no problem found";
    return join(parts, ", ");
}

/// The lowest error: findings come bottom-up. Warnings need no repair before anything else works.
const Finding* first_to_repair(const Report& report) {
    const auto found = std::find_if(report.findings.begin(), report.findings.end(),
                                    [](const Finding& f) { return f.severity == Severity::error; });
    return found == report.findings.end() ? nullptr : &*found;
}

/// Without a machine: how much of what the tables can tell could be asked.
std::string questions_answered(const Report& report) {
    const auto lacking = std::count_if(report.verdicts.begin(), report.verdicts.end(), [](const RuleVerdict& verdict) {
        return verdict.reason.starts_with("not asked: it needs");
    });
    const auto answers = static_cast<std::size_t>(report.counts.pass + report.counts.fault);
    return "the tables answer " + counted(answers, "question", "questions") + ", " + std::to_string(lacking) +
           " more need what was not given";
}

}  // namespace

std::string headline(const Report& report) {
    std::string line = "rnncheck " + shown(report.tool.version) + ": " + findings_counted(report) + "; " +
                       (only_given(report.facts) ? questions_answered(report) : recurrent_networks(report.facts));
    if (const Finding* finding = first_to_repair(report)) line += "; repair first: " + shown(finding->message);
    return line;
}

}  // namespace rnncheck
