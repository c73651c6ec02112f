// Evaluates rules one by one, then leaves out the findings that others explain.
#include "judge/evaluate.hpp"

#include <algorithm>
#include <functional>

#include "base/text.hpp"
#include "facts/queries.hpp"
#include "rules/support/windows.hpp"

namespace rnncheck {

namespace {

using stack::Stack;

/// Not applicable, with the reason why nobody can know whether it would be.
Verdict not_evaluated(NotEvaluated why, const std::string& reason) {
    Verdict verdict = not_applicable("not evaluated: " + reason);
    verdict.not_evaluated = why;
    return verdict;
}

/// Without a machine only the tables decide, and what was not specified is no open question.
Verdict evaluate(
    const Named<Rule>& rule,
    const Stack& stack,
    const std::vector<Stack>& possible,
    const Matrix& matrix,
    VerdictOfStack verdict_of) {
    if (!rule->conflict)
        return not_evaluated(NotEvaluated::needs_machine, "only the machine itself can show this");
    Verdict verdict = verdict_of(*rule->conflict, stack, possible, matrix);
    rules::fit_to_windows(stack, verdict);
    if (verdict.outcome == Outcome::undecided && verdict.missing == MissingInput::facts)
        return not_evaluated(
            NotEvaluated::needs_values,
            "it needs " + std::string(rule->what_if_inputs) + "; " + verdict.reason);
    return verdict;
}

/// A question the user did not want evaluated is no open question.
Verdict evaluate(const Named<Rule>& rule, const Facts& facts, const Matrix& matrix) {
    if (is_log_only(facts) && !rule->judges_log)
        return not_applicable("the log does not point to it");
    if (auto verdict = rules::instead_on_windows(*rule.thing, facts))
        return *verdict;
    Verdict verdict = rule->check(facts, matrix);
    rules::fit_to_windows(facts, verdict);
    if (verdict.outcome == Outcome::undecided && !rule->judges_log &&
        !stage_was_run(facts, rule->stage))
        return not_evaluated(
            NotEvaluated::stage_off,
            "the stage '" + std::string(name_of(rule->stage)) + "' was switched off");
    return verdict;
}

using Explained = std::map<std::string_view, std::set<std::string>>;

std::vector<std::string> symptoms_of(const Finding& finding) {
    if (finding.symptoms.empty())
        return {finding.subject};
    return finding.symptoms;
}

/// By rule, all that its findings account for.
Explained explained_by(std::span<const Named<Rule>> rules, const std::vector<Verdict>& verdicts) {
    Explained explained;
    for (std::size_t i = 0; i < rules.size(); ++i)
        for (const Finding& finding : verdicts[i].findings)
            for (const auto& places : {finding.explains, symptoms_of(finding)})
                explained[rules[i].name].insert(places.begin(), places.end());
    return explained;
}

/// The rule whose findings explain a symptom better than this one; empty when none does.
std::string_view explainer_of(
    const std::string& symptom, const Named<Rule>& rule, const Explained& explained) {
    for (const std::string_view other : rule->superseded_by)
        if (const auto* places = look_up(explained, other);
            other != rule.name && places && places->contains(symptom))
            return other;
    return "";
}

/// One fault, one finding: leaves out what rules that state it more exactly explain. What was left
/// out is no pass.
void drop_explained_findings(
    Verdict& verdict, const Named<Rule>& rule, const Explained& explained) {
    std::string_view explainer;
    const auto yielded = std::erase_if(verdict.findings, [&](const Finding& finding) {
        return std::ranges::all_of(symptoms_of(finding), [&](const std::string& symptom) {
            const std::string_view other = explainer_of(symptom, rule, explained);
            if (!other.empty())
                explainer = other;
            return !other.empty();
        });
    });
    if (yielded == 0 || verdict.outcome != Outcome::fault)
        return;
    std::string open = std::move(verdict.still_unknown);
    if (!verdict.findings.empty())
        verdict.reason = verdict.findings.front().message;
    else if (open.empty())
        verdict = not_applicable("explained by " + std::string(explainer));
    else
        verdict = undecided(std::move(open));
}

/// The selected rules, without what others explain.
std::vector<Verdict> evaluate_selected(
    std::span<const Named<Rule>> rules,
    const Selection& selection,
    const std::function<Verdict(const Named<Rule>&)>& evaluated) {
    std::vector<Verdict> verdicts;
    for (const auto& rule : rules) {
        if (selection.includes(std::string(rule.name)))
            verdicts.push_back(evaluated(rule));
        else
            verdicts.push_back(
                not_evaluated(NotEvaluated::skipped, "excluded by --only or --skip"));
        for (Finding& finding : verdicts.back().findings)
            complete(rule, finding);
    }
    const Explained explained = explained_by(rules, verdicts);
    for (std::size_t i = 0; i < rules.size(); ++i)
        drop_explained_findings(verdicts[i], rules[i], explained);
    return verdicts;
}

}  // namespace

std::vector<Verdict> evaluate_all(
    std::span<const Named<Rule>> rules,
    const Facts& facts,
    const Matrix& matrix,
    const Selection& selection) {
    return evaluate_selected(
        rules, selection, [&](const Named<Rule>& rule) { return evaluate(rule, facts, matrix); });
}

std::vector<Verdict> evaluate_all(
    std::span<const Named<Rule>> rules,
    const Stack& stack,
    const Matrix& matrix,
    const Selection& selection,
    VerdictOfStack verdict_of) {
    const auto possible = stack::possible_stacks(stack, matrix);
    return evaluate_selected(rules, selection, [&](const Named<Rule>& rule) {
        return evaluate(rule, stack, possible, matrix, verdict_of);
    });
}

/// No finding is worse than its rule's page states, and each has a command that
/// shows whether it is gone.
void complete(const Named<Rule>& rule, Finding& finding) {
    finding.rule = rule.name;
    finding.layer = rule->layer;
    finding.severity = std::max(finding.severity, rule->max_severity);
    std::erase_if(
        finding.evidence, [](const Evidence& evidence) { return evidence.value.empty(); });
    for (Remedy& remedy : finding.remedies) {
        if (remedy.verify.empty())
            remedy.verify = "rnncheck doctor --only " + finding.rule;
        std::erase(remedy.checks, remedy.verify);
    }
}

void add_finding(Verdict& verdict, Finding finding) {
    if (verdict.outcome != Outcome::fault) {
        verdict.outcome = Outcome::fault;
        verdict.reason = finding.message;
        verdict.not_evaluated.reset();
    }
    verdict.findings.push_back(std::move(finding));
}

/// Of one severity the lowest layer first: a fault there may cause those above.
std::tuple<Severity, Layer, Stage, std::string, std::string> order_of_repair(
    const Finding& finding) {
    const auto* rule = find_named(rules_of_the_directory(), finding.rule);
    if (!rule)
        rule = find_named(all_rules(), finding.rule);  // reads the table of what logs show
    const Stage stage = rule ? (*rule)->stage : Stage::run;
    return std::tuple(finding.severity, finding.layer, stage, finding.rule, finding.subject);
}

}  // namespace rnncheck
