#include "support/logs.hpp"
#include "support/rule_test.hpp"

namespace {

rnncheck::Facts with_log(const char* text) {
    rnncheck::Facts facts;
    facts.tool.stages = {"log"};
    facts.log = rnncheck::test::log_read(text);
    return facts;
}

}  // namespace

TEST_CASE("unknown_error_in_log") {
    using namespace rnncheck;
    const auto* rule = find_named(all_rules(), "unknown_error_in_log");
    REQUIRE(rule);
    const auto outcome = [&](const Facts& facts) {
        return (*rule)->check(facts, test::bundled_matrix());
    };

    const Verdict open = outcome(with_log("epoch 1\nValueError: the moon is full\n"));
    CHECK(open.outcome == Outcome::undecided);
    REQUIRE(open.findings.size() == 1);
    CHECK(open.findings.front().message.find("line 2") != std::string::npos);
    CHECK(
        open.findings.front().evidence.front().value.find("the moon is full") != std::string::npos);

    CHECK(outcome(with_log("epoch 1\nloss 0.3\n")).outcome == Outcome::pass);
    CHECK(
        outcome(with_log("RuntimeError: cuDNN error: CUDNN_STATUS_EXECUTION_FAILED\n")).outcome ==
        Outcome::not_applicable);
    CHECK(outcome({}).outcome == Outcome::not_applicable);
}
