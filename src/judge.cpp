#include "judge.hpp"

#include <algorithm>
#include <tuple>

#include "base/text.hpp"
#include "rules/support/log_verdict.hpp"
#include "rules/support/seen.hpp"
#include "rules/support/versions.hpp"

namespace rnncheck {

namespace {

Verdict not_asked(NotAsked why, const std::string& reason) {
    Verdict verdict = not_applicable("not asked: " + reason);
    verdict.not_asked = why;
    return verdict;
}

/// Without a machine only what the tables can tell is asked, and what was not given is no open question.
Verdict ask_what_if(const Named<Rule>& rule, const Facts& facts, const std::vector<Facts>& possible,
                    const Matrix& matrix) {
    if (rule->asks.empty()) return not_asked(NotAsked::needs_machine, "only the machine itself can show this");
    Verdict verdict = rules::judge_possible(*rule.thing, facts, possible, matrix);
    if (verdict.outcome == Outcome::undecided && verdict.lack == Lack::facts)
        return not_asked(NotAsked::needs_values, "it needs " + std::string(rule->asks) + "; " + verdict.reason);
    return verdict;
}

/// A question the user did not want asked is no open question.
Verdict ask(const Named<Rule>& rule, const Facts& facts, const std::vector<Facts>& possible, const Matrix& matrix) {
    if (only_given(facts)) return ask_what_if(rule, facts, possible, matrix);
    if (from_logs_alone(facts) && !rule->judges_log) return not_applicable("the log does not point to it");
    Verdict verdict = rule->check(facts, matrix);
    if (verdict.outcome == Outcome::undecided && !rule->judges_log && !stage_was_run(facts, rule->needs))
        return not_asked(NotAsked::stage_off, "the stage '" + std::string(name_of(rule->needs)) + "' was switched off");
    return verdict;
}

/// Rules that only say that there is no GPU, or nothing but the library of a driver for one: expected on a machine
/// without a GPU.
bool only_says_no_gpu(const Facts& facts, const Finding& finding) {
    static const std::set<std::string> rules = {"driver_missing", "no_gpu_visible", "container_no_gpu_runtime",
                                                "kernel_module_missing"};
    return rules.contains(finding.rule) && rules::no_nvidia_hardware_seen(facts);
}

/// The log was written somewhere, at some time: what this machine does not show now is told, but it is no fault of it.
void refute(Finding& cause, const std::string& why_not) {
    cause.severity = Severity::note;
    cause.decided_by.reset();
    cause.message =
        "the log points to this, which the machine as it is now does not show (" + why_not + "): " + cause.message;
}

/// What the log says of this rule's cause joins what the machine's facts say, which decide where they can.
void join_log(Verdict& verdict, std::string_view rule, const std::vector<Finding>& causes) {
    const auto found = std::ranges::find(causes, rule, &Finding::rule);
    if (found == causes.end()) return;
    if (verdict.outcome == Outcome::fault) {
        auto& seen = verdict.findings.front().evidence;
        seen.insert(seen.end(), found->evidence.begin(), found->evidence.end());
        return;
    }
    Finding cause = *found;
    if (verdict.outcome == Outcome::pass) refute(cause, verdict.reason);
    verdict.reason = "the log points to it";
    verdict.outcome = Outcome::fault;
    verdict.not_asked.reset();
    verdict.findings.push_back(std::move(cause));
}

void sort_by_likelihood(std::vector<Finding>& findings) {
    std::stable_sort(findings.begin(), findings.end(),
                     [](const Finding& a, const Finding& b) { return a.weight.value_or(0) > b.weight.value_or(0); });
}

/// The order of repair: an error may be the cause of those of higher layers, a warning needs no repair before anything
/// else works.
void sort_findings(std::vector<Finding>& findings) {
    std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
        return std::tie(a.severity, a.layer, a.rule, a.subject) < std::tie(b.severity, b.layer, b.rule, b.subject);
    });
}

int& count_of(Counts& counts, Outcome outcome) {
    switch (outcome) {
        case Outcome::pass:
            return counts.pass;
        case Outcome::fault:
            return counts.fault;
        case Outcome::not_applicable:
            return counts.not_applicable;
        case Outcome::undecided:
            break;
    }
    return counts.undecided;
}

/// What decides the one word: found so far over all rules.
struct Tally {
    bool what_if = false;
    bool error = false, warning = false, open = false, any_answer = false;

    Health health() const {
        if (error) return Health::problems;
        if (open || (what_if && !any_answer)) return Health::undetermined;
        return warning ? Health::warnings : Health::healthy;
    }
};

void tally_verdict(Tally& tally, const Named<Rule>& rule, const Verdict& verdict, const Selection& selection) {
    const bool decided = verdict.outcome == Outcome::pass || verdict.outcome == Outcome::fault;
    if (!decided && selection.require.contains(std::string(rule.name))) tally.open = true;
    if (verdict.outcome == Outcome::undecided && (rule->worst == Severity::error || tally.what_if)) tally.open = true;
    tally.any_answer |= decided;
    for (const Finding& finding : verdict.findings) {
        tally.error |= finding.severity == Severity::error;
        tally.warning |= finding.severity == Severity::warning;
    }
}

void apply_to_findings(Verdict& verdict, const Named<Rule>& rule, const Facts& facts, const Selection& selection) {
    for (Finding& finding : verdict.findings) {
        finding.rule = rule.name;
        finding.layer = rule->layer;
        const bool expected = selection.allow_no_gpu && only_says_no_gpu(facts, finding);
        if (expected || selection.ignore.contains(finding.rule)) finding.severity = Severity::note;
    }
}

ToolStamp stamp_of(const Matrix& matrix) {
    return {
        .version = std::string(version_of_rnncheck()), .matrix_date = matrix.date(), .matrix_digest = matrix.digest()};
}

}  // namespace

Report judge(Facts facts, const Matrix& matrix, const Selection& selection) {
    Report report;
    report.tool = stamp_of(matrix);
    Tally tally;
    tally.what_if = only_given(facts);
    const std::vector<Finding> causes = rules::causes_in_log(facts, matrix);
    // A machine is what it is; what a person told in part may be one of several.
    const auto possible = tally.what_if ? rules::as_full_releases(facts, matrix) : std::vector<Facts>();
    // Without a log its causes cannot speak, and their table need not be read.
    for (const auto& rule : facts.log ? all_rules() : rules_of_the_directory()) {
        const std::string name(rule.name);
        const bool selected = selection.includes(name);
        Verdict verdict = selected ? ask(rule, facts, possible, matrix)
                                   : not_asked(NotAsked::left_out, "left out on the command line");
        if (selected) join_log(verdict, name, causes);
        apply_to_findings(verdict, rule, facts, selection);
        tally_verdict(tally, rule, verdict, selection);
        ++count_of(report.counts, verdict.outcome);
        report.verdicts.push_back(
            {name, verdict.outcome, verdict.reason, std::move(verdict.evidence), verdict.not_asked});
        std::move(verdict.findings.begin(), verdict.findings.end(), std::back_inserter(report.findings));
    }
    // Where nothing at all was asked, nothing was found to be well.
    tally.open |=
        std::ranges::all_of(report.verdicts, [](const RuleVerdict& verdict) { return verdict.not_asked.has_value(); });
    // An error that neither the log's causes nor the machine explain stays an open question.
    tally.open |= facts.log && !from_logs_alone(facts) && facts.log->first_error_line && !tally.error;
    sort_findings(report.findings);
    if (from_logs_alone(facts)) sort_by_likelihood(report.findings);
    report.verdict = tally.health();
    report.facts = std::move(facts);
    report.sentence = sentence_of(report);
    return report;
}

Report judge_networks(const Facts& facts, const Matrix& matrix) {
    const auto judged_by = [&](const auto& wanted) {
        Selection selection;
        selection.require = {"rnn_result_wrong"};
        for (const auto& rule : rules_of_the_directory())
            if (wanted(rule->layer)) selection.only.emplace(rule.name);
        return judge(facts, matrix, selection);
    };
    Report report = judged_by([](Layer layer) { return layer == Layer::gpu || layer == Layer::rnn; });
    if (report.verdict == Health::healthy || report.verdict == Health::warnings) return report;
    // Frameworks and their CUDA runtime have no part in these cases.
    return judged_by([](Layer layer) { return layer != Layer::runtime; });
}

Report judge_fits(const Facts& facts, std::vector<FitSearch> searches, const Matrix& matrix) {
    if (searches.empty()) {
        Report report = judge_networks(facts, matrix);
        report.lstm.emplace();
        return report;
    }
    const auto broken = [](const FitSearch& fit) { return fit.calculated.size.value_or(0) > 0 && !fit.largest; };
    const auto found = [](const FitSearch& fit) { return fit.largest && !fit.out_of_time; };
    Tally tally;
    tally.error = std::ranges::none_of(searches, &FitSearch::out_of_time) && std::ranges::any_of(searches, broken);
    tally.open = !std::ranges::all_of(searches, found);
    Report report;
    report.tool = stamp_of(matrix);
    report.verdict = tally.health();
    std::vector<std::string> answers;
    for (const FitSearch& fit : searches) answers.push_back(fit.answer);
    report.sentence = join(answers, "; ");
    report.facts = facts;
    report.lstm.emplace().fits = std::move(searches);
    return report;
}

}  // namespace rnncheck
