#include "support/logs.hpp"
#include "support/rule_test.hpp"

TEST_CASE("program_end_not_in_log") {
    using namespace rnncheck;
    const auto* rule = find_named(all_rules(), "program_end_not_in_log");
    REQUIRE(rule);
    const auto outcome = [&](const char* text) {
        Facts facts;
        facts.tool.stages = {"log"};
        facts.log = test::log_read(text);
        return (*rule)->check(facts, test::bundled_matrix());
    };
    const Verdict open = outcome("Loading the model.\n");
    CHECK(open.outcome == Outcome::undecided);
    REQUIRE(open.findings.size() == 1);
    CHECK(open.findings.front().severity == Severity::note);
    CHECK_FALSE(open.findings.front().remedies.empty());
    CHECK(
        outcome("%PDF-1.7\nloss 0.3\n").findings.front().message.find("a PDF document") !=
        std::string::npos);

    CHECK(outcome("epoch 1\nloss 0.3\n").outcome == Outcome::pass);
    CHECK(outcome("epoch 1 loss 0.3\nthe daemon died\n").outcome == Outcome::undecided);
    CHECK(
        outcome("epoch 1 loss 0.3\nValueError: the moon is full\n").outcome ==
        Outcome::not_applicable);
    CHECK(outcome("").outcome == Outcome::not_applicable);
    CHECK((*rule)->check({}, test::bundled_matrix()).outcome == Outcome::not_applicable);
}
