#include "judge.hpp"

#include <algorithm>
#include <map>
#include <ranges>
#include <tuple>

#include "base/text.hpp"
#include "facts/queries.hpp"
#include "rules/causes/log_causes.hpp"
#include "rules/conflicts.hpp"
#include "rules/support/repairs.hpp"
#include "rules/support/windows.hpp"
#include "stack/given.hpp"

namespace rnncheck {

namespace {

using stack::Stack;

Verdict not_asked(NotAsked why, const std::string& reason) {
    Verdict verdict = not_applicable("not evaluated: " + reason);
    verdict.not_asked = why;
    return verdict;
}

/// rules::verdict_of, or the same without remedies.
using VerdictOfStack = Verdict (*)(stack::ConflictKind, const Stack&, const std::vector<Stack>&,
                                   const Matrix&);

/// Without a machine only the tables decide, and what was not specified is no open question.
Verdict evaluate(const Named<Rule>& rule, const Stack& stack, const std::vector<Stack>& possible,
                 const Matrix& matrix, VerdictOfStack verdict_of) {
    if (!rule->conflict)
        return not_asked(NotAsked::needs_machine, "only the machine itself can show this");
    Verdict verdict = verdict_of(*rule->conflict, stack, possible, matrix);
    if (verdict.outcome == Outcome::undecided && verdict.missing == MissingInput::facts)
        return not_asked(NotAsked::needs_values,
                         "it needs " + std::string(rule->what_if_inputs) + "; " + verdict.reason);
    return verdict;
}

/// What every finding of a rule has.
void complete(const Named<Rule>& rule, Finding& finding) {
    finding.rule = rule.name;
    finding.layer = rule->layer;
    finding.severity = std::max(finding.severity, rule->max_severity);
    std::erase_if(finding.evidence,
                  [](const Evidence& evidence) { return evidence.value.empty(); });
    for (Remedy& remedy : finding.remedies) {
        if (remedy.verify.empty())
            remedy.verify = "rnncheck doctor --only " + finding.rule;
        std::erase(remedy.checks, remedy.verify);
    }
}

/// A question the user did not want asked is no open question.
Verdict evaluate(const Named<Rule>& rule, const Facts& facts, const Matrix& matrix) {
    if (from_logs_alone(facts) && !rule->judges_log)
        return not_applicable("the log does not point to it");
    if (auto verdict = rules::instead_on_windows(*rule.thing, facts))
        return *verdict;
    Verdict verdict = rule->check(facts, matrix);
    rules::fit_to_windows(facts, verdict);
    if (verdict.outcome == Outcome::undecided && !rule->judges_log &&
        !stage_was_run(facts, rule->stage))
        return not_asked(NotAsked::stage_off,
                         "the stage '" + std::string(name_of(rule->stage)) + "' was switched off");
    return verdict;
}

using Explained = std::map<std::string_view, std::set<std::string>>;

std::vector<std::string> symptoms_of(const Finding& finding) {
    return finding.symptoms.empty() ? std::vector<std::string>{finding.subject} : finding.symptoms;
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
std::string_view explainer_of(const std::string& symptom, const Named<Rule>& rule,
                              const Explained& explained) {
    for (const std::string_view other : rule->yields_to)
        if (const auto* places = look_up(explained, other);
            other != rule.name && places && places->contains(symptom))
            return other;
    return "";
}

/// One fault, one finding: leaves out what rules that say it more exactly explain. What was left
/// out is no pass.
void yield(Verdict& verdict, const Named<Rule>& rule, const Explained& explained) {
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
    else
        verdict = open.empty() ? not_applicable("explained by " + std::string(explainer))
                               : undecided(std::move(open));
}

/// The log was written somewhere, at some time: what this machine does not show now is told, but it
/// is no fault of it.
void refute(Finding& cause, const std::string& why_not) {
    cause.severity = Severity::note;
    cause.decided_by.reset();
    cause.message = "the log points to this, which the machine as it is now does not show (" +
                    why_not + "): " + cause.message;
}

/// The verdict becomes a problem, or one more.
void add_finding(Verdict& verdict, Finding finding) {
    if (verdict.outcome != Outcome::fault) {
        verdict.outcome = Outcome::fault;
        verdict.reason = finding.message;
        verdict.not_asked.reset();
    }
    verdict.findings.push_back(std::move(finding));
}

/// What the log says of this rule's cause joins what the machine's facts say, which decide where
/// they can.
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

/// The order of repair: an error may be the cause of those of higher layers, a warning needs no
/// repair before anything else works. In one layer, what files show (a missing module) comes before
/// what libraries show (an old version).
auto order_of_repair(const Finding& finding) {
    const auto* rule = find_named(rules_of_the_directory(), finding.rule);
    if (!rule)
        rule = find_named(all_rules(), finding.rule);  // reads the table of what logs show
    const Stage stage = rule ? (*rule)->stage : Stage::run;
    return std::tuple(finding.severity, finding.layer, stage, finding.rule, finding.subject);
}

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
        return warning ? OverallVerdict::warnings : OverallVerdict::healthy;
    }
};

void tally_verdict(Tally& tally, const Named<Rule>& rule, const Verdict& verdict,
                   const Selection& selection) {
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

/// The selected rules, without what others explain.
std::vector<Verdict> evaluate_all(std::span<const Named<Rule>> rules, const Selection& selection,
                                  const std::function<Verdict(const Named<Rule>&)>& evaluated) {
    std::vector<Verdict> verdicts;
    for (const auto& rule : rules) {
        verdicts.push_back(selection.includes(std::string(rule.name))
                               ? evaluated(rule)
                               : not_asked(NotAsked::left_out, "excluded by --only or --skip"));
        for (Finding& finding : verdicts.back().findings)
            complete(rule, finding);
    }
    const Explained explained = explained_by(rules, verdicts);
    for (std::size_t i = 0; i < rules.size(); ++i)
        yield(verdicts[i], rules[i], explained);
    return verdicts;
}

std::vector<Verdict> evaluate_all(std::span<const Named<Rule>> rules, const Facts& facts,
                                  const Matrix& matrix, const Selection& selection) {
    return evaluate_all(rules, selection,
                        [&](const Named<Rule>& rule) { return evaluate(rule, facts, matrix); });
}

std::vector<Verdict> evaluate_all(std::span<const Named<Rule>> rules, const Stack& stack,
                                  const Matrix& matrix, const Selection& selection,
                                  VerdictOfStack verdict_of = rules::verdict_of) {
    const auto possible = stack::possible_stacks(stack, matrix);
    return evaluate_all(rules, selection, [&](const Named<Rule>& rule) {
        return evaluate(rule, stack, possible, matrix, verdict_of);
    });
}

/// Findings of a rule about one thing, whatever its version.
struct FaultKind {
    std::string rule;
    stack::PartKind part = stack::PartKind::other;
    std::string id;  ///< of the part; the subject of what is no part of a stack

    auto operator<=>(const FaultKind&) const = default;
};

FaultKind kind_of(const Finding& finding) {
    const bool is_other = finding.part.kind == stack::PartKind::other;
    return {finding.rule, finding.part.kind, is_other ? finding.subject : finding.part.id};
}

using Faults = std::map<FaultKind, Severity>;

/// How bad what does not fit in a stack is, by kind.
Faults faults_of(const Stack& stack, const Matrix& matrix) {
    Faults faults;
    for (const Verdict& verdict :
         evaluate_all(rules_of_the_directory(), stack, matrix, {}, rules::verdict_without_remedies))
        for (const Finding& finding : verdict.findings) {
            const auto [fault, is_new] = faults.try_emplace(kind_of(finding), finding.severity);
            fault->second = std::min(fault->second, finding.severity);
        }
    return faults;
}

/// A proposal with what is at fault once it is carried out.
struct TriedRepair {
    Remedy remedy;
    Faults after;

    std::ptrdiff_t errors_left() const {
        return std::ranges::count(std::views::values(after), Severity::error);
    }
    /// Of the fault itself: 1 if a lesser one of its kind remains.
    std::ptrdiff_t left_of(const FaultKind& kind) const {
        return after.contains(kind);
    }

    /// The fault is gone, and nothing that was none is an error.
    bool holds_for(const FaultKind& kind, const Faults& before) const {
        if (const Severity* still = look_up(after, kind); still && *still <= before.at(kind))
            return false;
        return std::ranges::all_of(after, [&](const auto& fault) {
            const Severity* known = look_up(before, fault.first);
            return fault.second != Severity::error || (known && *known == Severity::error);
        });
    }
};

/// It changes Python packages alone.
bool leaves_system(const Remedy& remedy) {
    const auto is_of_system = [](const GivenValue& change) {
        return change.key == "cuda" || change.key == "cudnn" || change.key == "driver" ||
               change.key == "image";
    };
    return remedy.risk == Risk::safe && std::ranges::none_of(remedy.changes, is_of_system);
}

/// Where every repair changes the system, the commands of the rule that do not are shown, too.
void keep_way_without_system(const std::vector<Remedy>& own, std::vector<Remedy>& held) {
    if (held.empty() || std::ranges::any_of(held, leaves_system))
        return;
    for (const Remedy& one : own)
        if (leaves_system(one) && !one.commands.empty())
            held.push_back(one);
}

/// Those that hold for this kind of fault, leave the fewest errors, and if possible nothing of it:
/// a new driver for a build that has no code for the GPU would be of no use.
std::vector<Remedy> useful_repairs(const std::vector<TriedRepair>& tried, const FaultKind& kind,
                                   const Faults& before) {
    constexpr std::size_t most_shown = 2;
    std::vector<TriedRepair> held = tried;
    std::erase_if(held, [&](const TriedRepair& repair) { return !repair.holds_for(kind, before); });
    const auto rank = [&](const TriedRepair& repair) {
        return std::pair(repair.errors_left(), repair.left_of(kind));
    };
    std::ranges::stable_sort(held, {}, rank);
    std::vector<Remedy> useful;
    for (const TriedRepair& repair : held) {
        if (rank(repair) != rank(held.front()))
            continue;
        // Beside what changes the system, a way for who may not.
        const bool is_first =
            leaves_system(repair.remedy) && std::ranges::none_of(useful, leaves_system);
        if (useful.size() < most_shown || is_first)
            useful.push_back(repair.remedy);
    }
    return useful;
}

/// Faults of versions get the repairs that hold: each is carried out on the stack and judged again.
/// What only the machine shows, and what no repair helps, keeps its rule's own remedies.
void add_repairs(std::span<const Named<Rule>> rules, std::vector<Verdict>& verdicts,
                 const Stack& stack, const Facts& facts, const Matrix& matrix) {
    std::vector<std::pair<const Named<Rule>*, Finding*>> faults;
    for (std::size_t i = 0; i < rules.size(); ++i)
        for (Finding& finding : verdicts[i].findings)
            if (rules[i]->repaired_by_versions)
                faults.emplace_back(&rules[i], &finding);
    if (faults.empty())
        return;
    const auto before = faults_of(stack, matrix);
    const auto tried =
        mapped(rules::proposed_repairs(stack, facts, matrix), [&](const Remedy& remedy) {
            return TriedRepair{
                remedy, faults_of(stack::with_changes(stack, remedy.changes, matrix), matrix)};
        });
    for (const auto& [rule, finding] : faults) {
        const FaultKind kind = kind_of(*finding);
        // What is only a note, such as an old GPU that nothing uses, needs no other versions.
        const bool repairable = finding->severity != Severity::note && before.contains(kind);
        auto held = repairable ? useful_repairs(tried, kind, before) : std::vector<Remedy>();
        if (held.empty() && finding->remedies.empty())
            held = {rules::without_repair(stack, matrix)};
        keep_way_without_system(finding->remedies, held);
        if (!held.empty())
            finding->remedies = std::move(held);
        complete(*rule, *finding);
        rules::offer_plan(facts, *finding);
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
void join_named_versions(std::span<const Named<Rule>> rules, std::vector<Verdict>& verdicts,
                         const Stack& stack, const Matrix& matrix, const Selection& selection) {
    Stack without = stack;
    without.frameworks.clear();
    const auto of_machine = faults_of(without, matrix);
    std::vector<Verdict> of_versions = evaluate_all(rules, stack, matrix, selection);
    for (std::size_t i = 0; i < rules.size(); ++i) {
        const bool is_open = of_versions[i].outcome == Outcome::undecided;
        join_findings(verdicts[i], std::move(of_versions[i].findings), of_machine);
        if (is_open && verdicts[i].outcome != Outcome::fault)
            verdicts[i] = std::move(of_versions[i]);
    }
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

/// What the versions exclude that a person gives with a log, word for word as `matrix check` shows
/// it of the same words. Whatever the log points to besides, this alone keeps the program from
/// working.
std::vector<Finding> conflicts_given_with_log(const Facts& facts, const Matrix& matrix) {
    if (!from_logs_alone(facts) || facts.log->user_hints.empty())
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

/// Conflicts come before the causes that the log only points to. Where the log shows the same
/// cause, its lines join the evidence.
std::vector<Finding> with_conflicts(const Log& log, std::vector<Finding> conflicts,
                                    std::vector<Finding> causes) {
    constexpr int certain_weight = 100, inferred_weight = 75;
    for (Finding& conflict : conflicts) {
        const Finding* same = find_by(causes, &Finding::rule, conflict.rule);
        const bool second = is_shown_by_log(log, causes, conflict) && same != &causes.front();
        const int weight =
            conflict.confidence == Confidence::certain ? certain_weight : inferred_weight;
        conflict.weight = second ? *causes.front().weight - 1 : weight;
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

/// A machine is evaluated as it is, and with it the versions that --for names; of a document of
/// `matrix check` the stack is.
std::vector<Verdict> verdicts_about(std::span<const Named<Rule>> rules, const Facts& facts,
                                    const std::optional<Stack>& given, const Matrix& matrix,
                                    const Selection& selection) {
    if (given) {
        std::vector<Verdict> verdicts = evaluate_all(rules, *given, matrix, selection);
        add_repairs(rules, verdicts, *given, facts, matrix);
        return verdicts;
    }
    std::vector<Verdict> verdicts = evaluate_all(rules, facts, matrix, selection);
    const bool names_versions = find_by(facts.frameworks, &Framework::asked, true);
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

void make_notes(Verdict& verdict, const Named<Rule>& rule, const Facts& facts,
                const Selection& selection) {
    const bool expected =
        selection.allow_no_gpu && rule->says_no_gpu && no_nvidia_hardware_seen(facts);
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
Report judge(Facts facts, const std::optional<Stack>& given, const Matrix& matrix,
             const Selection& selection) {
    Report report;
    report.tool = {.matrix_date = matrix.date(), .matrix_digest = matrix.digest()};
    report.about = given ? About::versions : About::machine;
    if (from_logs_alone(facts))
        report.about = About::log;
    Tally tally;
    tally.what_if = given.has_value();
    std::vector<Finding> causes = rules::causes_in_log(facts, matrix);
    if (facts.log && facts.log->first_error_line)
        causes =
            with_conflicts(*facts.log, conflicts_given_with_log(facts, matrix), std::move(causes));
    // Without a log its causes cannot speak, and their table need not be read.
    const auto with_causes = facts.log ? std::optional<RuleList>(matrix) : std::nullopt;
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
        report.verdicts.push_back({name, verdict.outcome, verdict.reason,
                                   std::move(verdict.evidence), verdict.not_asked, rule->layer});
        for (Finding& finding : verdict.findings) {
            finding.title = rule->title;
            report.findings.push_back(std::move(finding));
        }
    }
    // Where nothing at all was asked, nothing was found to be well.
    tally.open |= std::ranges::all_of(
        report.verdicts, [](const RuleVerdict& verdict) { return verdict.not_asked.has_value(); });
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
