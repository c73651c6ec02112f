// From facts, or from specified versions, to a report: the verdicts of all rules, what the log
// points to, repairs, and one word for the whole.
#include "judge.hpp"

#include <algorithm>

#include "facts/queries.hpp"
#include "judge/faults.hpp"
#include "judge/log_conflicts.hpp"
#include "judge/repairs.hpp"
#include "rules/causes/log_causes.hpp"
#include "rules/support/versions.hpp"
#include "stack/given.hpp"

namespace rnncheck {

namespace {

using stack::Stack;

/// By outcome; findings are counted by their severity elsewhere.
void count(Counts& counts, Outcome outcome) {
    counts.pass += outcome == Outcome::pass;
    counts.fault += outcome == Outcome::fault;
    counts.not_applicable += outcome == Outcome::not_applicable;
    counts.undecided += outcome == Outcome::undecided;
}

/// What decides the one word: found so far over all rules.
struct Tally {
    bool what_if = false;
    bool error = false, warning = false, open = false, any_answer = false;

    OverallVerdict verdict() const {
        if (error)
            return OverallVerdict::problems;
        if (open || (what_if && !any_answer))
            return OverallVerdict::undetermined;
        if (warning)
            return OverallVerdict::warnings;
        return OverallVerdict::healthy;
    }
};

/// An undecided rule leaves the whole open if it could have found an error, or
/// if --require names it.
void tally_verdict(
    Tally& tally, const Named<Rule>& rule, const Verdict& verdict, const Selection& selection) {
    const bool decided = verdict.outcome == Outcome::pass || verdict.outcome == Outcome::fault;
    tally.open |= !decided && selection.require.contains(std::string(rule.name));
    tally.open |= verdict.outcome == Outcome::undecided &&
                  (rule->max_severity == Severity::error || tally.what_if);
    tally.any_answer |= decided;
    for (const Finding& finding : verdict.findings) {
        tally.error |= finding.severity == Severity::error;
        tally.warning |= finding.severity == Severity::warning;
    }
}

/// The engine's findings about a named framework replace those of its rule, which knows less of the
/// machine; what the machine itself shows stays.
void join_findings(Verdict& verdict, std::vector<Finding> findings, const Faults& of_machine) {
    for (Finding& finding : findings) {
        const FaultKind kind = kind_of(finding);
        if (finding.severity == Severity::note || of_machine.contains(kind))
            continue;
        std::erase_if(verdict.findings, [&](const Finding& other) {
            return other.part.kind == stack::PartKind::framework && kind_of(other) == kind;
        });
        const bool is_shown = std::ranges::any_of(verdict.findings, [&](const Finding& other) {
            return kind_of(other) == kind && other.severity <= finding.severity;
        });
        if (!is_shown)
            add_finding(verdict, std::move(finding));
    }
}

/// What the tables show of the versions that --for names on this machine, word for word as `matrix
/// check` shows it of the same versions: a problem that they cause joins what the machine itself
/// shows, and so does what is undetermined.
void join_named_versions(
    std::span<const Named<Rule>> rules,
    std::vector<Verdict>& verdicts,
    const Stack& stack,
    const Matrix& matrix,
    const Selection& selection) {
    Stack without = stack;
    without.frameworks.clear();
    const auto of_machine = severities_by_kind(without, matrix);
    std::vector<Verdict> of_versions = evaluate_all(rules, stack, matrix, selection);
    for (std::size_t i = 0; i < rules.size(); ++i) {
        const bool is_open = of_versions[i].outcome == Outcome::undecided;
        join_findings(verdicts[i], std::move(of_versions[i].findings), of_machine);
        if (is_open && verdicts[i].outcome != Outcome::fault)
            verdicts[i] = std::move(of_versions[i]);
    }
}

/// A machine is evaluated as it is, and with it the versions that --for names; of a document of
/// `matrix check` the stack is.
std::vector<Verdict> verdicts_about(
    std::span<const Named<Rule>> rules,
    const Facts& facts,
    const std::optional<Stack>& given,
    const Matrix& matrix,
    const Selection& selection) {
    if (given) {
        std::vector<Verdict> verdicts = evaluate_all(rules, *given, matrix, selection);
        add_repairs(rules, verdicts, *given, facts, matrix);
        return verdicts;
    }
    std::vector<Verdict> verdicts = evaluate_all(rules, facts, matrix, selection);
    const bool names_versions = find_by(facts.frameworks, &Framework::requested, true);
    const bool finds_any =
        std::ranges::any_of(verdicts, [](const Verdict& one) { return !one.findings.empty(); });
    if (!names_versions && !finds_any)
        return verdicts;
    const Stack stack = rules::stack_of(facts, matrix);
    if (names_versions)
        join_named_versions(rules, verdicts, stack, matrix, selection);
    add_repairs(rules, verdicts, stack, facts, matrix);
    return verdicts;
}

/// What the user expects or has decided to ignore stays visible, but changes no
/// verdict.
void make_notes(
    Verdict& verdict, const Named<Rule>& rule, const Facts& facts, const Selection& selection) {
    const bool expected =
        selection.allow_no_gpu && rule->expected_without_gpu && no_nvidia_hardware_seen(facts);
    for (Finding& finding : verdict.findings) {
        const std::string* ignored = look_up(selection.ignore, finding.rule);
        if (expected || ignored)
            finding.severity = Severity::note;
        if (!ignored || ignored->empty())
            continue;
        finding.ignored = *ignored;
        finding.message += " (ignored: " + *ignored + ")";
    }
}

/// `given`: the stack that the facts are the document of.
Report judge(
    Facts facts,
    const std::optional<Stack>& given,
    const Matrix& matrix,
    const Selection& selection) {
    Report report;
    report.tool = {.matrix_date = matrix.date(), .matrix_digest = matrix.digest()};
    report.about = About::machine;
    if (given)
        report.about = About::versions;
    if (is_log_only(facts))
        report.about = About::log;
    Tally tally;
    tally.what_if = given.has_value();
    std::vector<Finding> causes = rules::causes_in_log(facts, matrix);
    if (facts.log && facts.log->first_error_line)
        causes =
            with_conflicts(*facts.log, conflicts_given_with_log(facts, matrix), std::move(causes));
    // Without a log its causes cannot speak, and their table need not be read.
    std::optional<RuleList> with_causes;
    if (facts.log)
        with_causes.emplace(matrix);
    const auto all = with_causes ? with_causes->all() : rules_of_the_directory();
    std::vector<Verdict> verdicts = verdicts_about(all, facts, given, matrix, selection);
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto& rule = all[i];
        const std::string name(rule.name);
        Verdict& verdict = verdicts[i];
        if (selection.includes(name))
            join_log(verdict, name, causes);
        make_notes(verdict, rule, facts, selection);
        tally_verdict(tally, rule, verdict, selection);
        count(report.counts, verdict.outcome);
        report.verdicts.push_back(
            {name,
             verdict.outcome,
             verdict.reason,
             std::move(verdict.evidence),
             verdict.not_evaluated,
             rule->layer});
        for (Finding& finding : verdict.findings) {
            finding.title = rule->title;
            report.findings.push_back(std::move(finding));
        }
    }
    // If no rule was evaluated, the result is undetermined.
    tally.open |= std::ranges::all_of(report.verdicts, [](const RuleVerdict& verdict) {
        return verdict.not_evaluated.has_value();
    });
    // An error that neither the log's causes nor the machine explain stays an open question.
    const bool is_about_log = report.about == About::log;
    tally.open |= facts.log && !is_about_log && facts.log->first_error_line && !tally.error;
    // A log without a line shows nothing, least of all that all is well.
    tally.open |= is_about_log && facts.log->lines == 0;
    std::ranges::stable_sort(report.findings, {}, order_of_repair);
    if (is_about_log)
        std::ranges::stable_sort(report.findings, std::greater(), &Finding::weight);
    report.verdict = tally.verdict();
    report.facts = std::move(facts);
    report.sentence = sentence_of(report);
    return report;
}

}  // namespace

Report judge(const Stack& stack, const Matrix& matrix, const Selection& selection) {
    return judge(stack::document_of(stack), stack, matrix, selection);
}

Report judge(Facts facts, const Matrix& matrix, const Selection& selection) {
    const auto given = stack::described_stack(facts, matrix);
    return judge(std::move(facts), given, matrix, selection);
}

}  // namespace rnncheck
