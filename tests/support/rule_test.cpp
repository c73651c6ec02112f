#include "support/rule_test.hpp"

#include "base/text.hpp"
#include "judge.hpp"
#include "support/bundled_matrix.hpp"
#include "support/forget.hpp"

namespace rnncheck::test {

namespace {

void check_message(const Finding& finding) {
    CHECK_FALSE(finding.message.empty());
    CHECK(finding.message.back() != '.');
    CHECK(finding.message.find('\n') == std::string::npos);
    CHECK_FALSE(finding.subject.empty());
    CHECK_FALSE(finding.evidence.empty());
    for (const auto& evidence : finding.evidence)
        CHECK_FALSE(evidence.source.empty());
}

/// What is not known any more may leave the fault undecided, never heal it.
void check_forgetting(const Rule& rule, Facts facts) {
    forget_each(facts, "facts", [&](const std::string& place) {
        const Verdict verdict = rule.check(facts, bundled_matrix());
        INFO("without " << place << " it passes: " << verdict.reason);
        CHECK(verdict.outcome != Outcome::pass);
    });
}

/// Alone, or because it yields to another rule.
Outcome outcome_among_all(const Named<Rule>& rule, const Facts& facts) {
    const Outcome alone = rule->check(facts, bundled_matrix()).outcome;
    if (alone != Outcome::fault)
        return alone;
    const Report report = judge(facts, bundled_matrix(), {});
    return std::ranges::find(report.verdicts, rule.name, &RuleVerdict::rule)->outcome;
}

}  // namespace

void check_rule(
    const char* name,
    const Fires& fires,
    const Silent& silent,
    const WhenUndecided& when_undecided) {
    const auto* rule = find_named(all_rules(), name);
    REQUIRE(rule);
    REQUIRE_FALSE(fires.cases.empty());
    REQUIRE_FALSE(silent.cases.empty());
    REQUIRE_FALSE(when_undecided.cases.empty());
    for (const auto& [title, facts, expected] : fires.cases) {
        INFO(name << " fires: " << title);
        const Verdict verdict = (*rule)->check(facts, bundled_matrix());
        INFO("reason: " << verdict.reason);
        CHECK(verdict.outcome == Outcome::fault);
        REQUIRE_FALSE(verdict.findings.empty());
        INFO("message: " << verdict.findings.front().message);
        CHECK(contains(verdict.findings.front().message, expected));
        for (const auto& finding : verdict.findings) {
            check_message(finding);
            CHECK((!finding.remedies.empty() || (*rule)->repaired_by_versions));
        }
        check_forgetting(*rule->thing, facts);
    }
    for (const auto& [title, facts, unused] : silent.cases) {
        INFO(name << " is silent: " << title);
        const Verdict verdict = (*rule)->check(facts, bundled_matrix());
        INFO("reason: " << verdict.reason);
        const Outcome outcome = outcome_among_all(*rule, facts);
        CHECK((outcome == Outcome::pass || outcome == Outcome::not_applicable));
        CHECK_FALSE(verdict.reason.empty());
    }
    for (const auto& [title, facts, unused] : when_undecided.cases) {
        INFO(name << " is undecided: " << title);
        const Verdict verdict = (*rule)->check(facts, bundled_matrix());
        INFO("reason: " << verdict.reason);
        CHECK((verdict.outcome == Outcome::undecided));
        CHECK_FALSE(verdict.reason.empty());
    }
}

}  // namespace rnncheck::test
