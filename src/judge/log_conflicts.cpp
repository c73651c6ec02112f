// Where a log meets what is known of versions: conflicts of those given with it, and causes that
// the machine confirms or refutes.
#include "judge/log_conflicts.hpp"

#include <algorithm>

#include "facts/queries.hpp"
#include "judge/repairs.hpp"
#include "matrix/ranges.hpp"
#include "rules/support/versions.hpp"
#include "stack/given.hpp"

namespace rnncheck {

namespace {

using stack::Stack;

/// The log was written somewhere, at some time: what this machine does not show now is noted, but
/// is no fault of it.
void refute(Finding& cause, const std::string& why_not) {
    cause.severity = Severity::note;
    cause.decided_by.reset();
    cause.message = "the log points to this, which the machine as it is now does not show (" +
                    why_not + "): " + cause.message;
}

/// Whether the finding rests on a row of framework builds that is inferred: it may be wrong, and so
/// is never certain.
bool rests_on_inferred_build(const Finding& finding, const Stack& stack, const Matrix& matrix) {
    for (const stack::Framework& framework : stack.frameworks)
        for (const FrameworkBuild& build : matrix.framework_builds(framework.name)) {
            const bool is_inferred = build.provenance >= Provenance::inferred &&
                                     framework.version &&
                                     covers(build.first, build.last, *framework.version);
            if (is_inferred && find_by(finding.evidence, &Evidence::source, build.source.url))
                return true;
        }
    return false;
}

/// A line names a file that the program did not find.
bool names_missing_library(const LogEvent& event) {
    return event.kind == LogKind::error && find_by(event.captures, &LogField::name, "library");
}

/// The log itself shows its cause: by a line that has no other one, or where libraries conflict by
/// a line that makes another cause likely or names the file that was missing, which need not be the
/// one whose versions conflict.
bool is_shown_by_log(const Log& log, const std::vector<Finding>& causes, const Finding& conflict) {
    if (causes.empty())
        return false;
    if (causes.front().confidence == Confidence::certain)
        return true;
    constexpr int likely_from = 70;
    const bool names_one = *causes.front().weight >= likely_from ||
                           std::ranges::any_of(log.events, names_missing_library);
    return conflict.layer >= Layer::runtime && names_one;
}

}  // namespace

void join_log(Verdict& verdict, std::string_view rule, const std::vector<Finding>& causes) {
    const Finding* found = find_by(causes, &Finding::rule, rule);
    if (!found)
        return;
    if (verdict.outcome == Outcome::fault)
        return append(verdict.findings.front().evidence, found->evidence);
    const bool is_refuted = verdict.outcome == Outcome::pass;
    const std::string why_not = verdict.reason;
    for (const Finding& one : causes) {
        if (one.rule != rule)
            continue;
        Finding cause = one;
        if (is_refuted)
            refute(cause, why_not);
        add_finding(verdict, std::move(cause));
    }
    verdict.reason = "the log points to it";
}

std::vector<Finding> conflicts_given_with_log(const Facts& facts, const Matrix& matrix) {
    if (!is_log_only(facts) || facts.log->user_hints.empty())
        return {};
    const auto values = mapped(facts.log->user_hints, [](const UserHint& hint) {
        return GivenValue{hint.key, hint.value};
    });
    const Stack stack = rules::as_installed(stack::read_given(values, matrix).stack, matrix);
    const auto rules = rules_of_the_directory();
    std::vector<Verdict> verdicts = evaluate_all(rules, stack, matrix, {});
    add_repairs(rules, verdicts, stack, stack::document_of(stack), matrix);
    std::vector<Finding> conflicts;
    for (Verdict& verdict : verdicts)
        for (Finding& finding : verdict.findings)
            if (finding.severity == Severity::error && finding.confidence == Confidence::certain) {
                if (rests_on_inferred_build(finding, stack, matrix))
                    finding.confidence = Confidence::likely;
                conflicts.push_back(std::move(finding));
            }
    std::ranges::stable_sort(conflicts, {}, order_of_repair);
    return conflicts;
}

std::vector<Finding> with_conflicts(
    const Log& log, std::vector<Finding> conflicts, std::vector<Finding> causes) {
    constexpr int certain_weight = 100, inferred_weight = 75;
    for (Finding& conflict : conflicts) {
        const Finding* same = find_by(causes, &Finding::rule, conflict.rule);
        const bool second = is_shown_by_log(log, causes, conflict) && same != &causes.front();
        conflict.weight = inferred_weight;
        if (conflict.confidence == Confidence::certain)
            conflict.weight = certain_weight;
        if (second)
            conflict.weight = *causes.front().weight - 1;
        if (second)
            conflict.confidence =
                Confidence::likely;  // it is certain, but need not be what failed here
        if (same)
            append(conflict.evidence, same->evidence);
    }
    std::erase_if(causes, [&](const Finding& cause) {
        return find_by(conflicts, &Finding::rule, cause.rule);
    });
    append(conflicts, std::move(causes));
    return conflicts;
}

}  // namespace rnncheck
