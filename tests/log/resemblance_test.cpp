// Causes of errors that no signature matches, by words in common.
#include "judge.hpp"
#include "rules/causes/log_resemblance.hpp"
#include "support/catch.hpp"
#include "support/logs.hpp"

using namespace rnncheck;

namespace {

Report diagnosis(const char* text) {
    Facts facts;
    facts.tool.stages = {"log"};
    facts.log = test::log_read(text);
    return judge(std::move(facts), test::bundled_matrix(), {});
}

}  // namespace

TEST_CASE("the words of a pattern, one text for each alternative") {
    using Texts = std::vector<std::string>;
    CHECK(rules::words_of_pattern("cuInit failed") == Texts{"cuInit failed"});
    CHECK(rules::words_of_pattern("(?:cuInit failed|No (?:GPU|CUDA) found)") ==
          Texts{" cuInit failed", "No  GPU CUDA  found "});
    CHECK(rules::words_of_pattern("(?P<name>lib[^\\]]a)\\.so\\d{1,2}") == Texts{" lib a  so  "});
}

TEST_CASE("an unknown error in known words has possible causes, whose first step is a check") {
    const Report report = diagnosis(
        "SomeToolError: the GPU driver of this host is older than the CUDA runtime version of the "
        "program needs\n");
    REQUIRE_FALSE(report.findings.empty());
    const Finding& first = report.findings.front();
    CHECK(first.rule == "driver_too_old");
    CHECK(first.confidence == Confidence::possible);
    REQUIRE_FALSE(first.remedies.empty());
    CHECK(first.remedies.front().action == Action::investigate);
    CHECK(report.findings.size() <= 3);
}

TEST_CASE("an unknown error in other words stays unknown") {
    const Report report = diagnosis("ValueError: the moon is full of green cheese\n");
    REQUIRE(report.findings.size() == 1);
    CHECK(report.findings.front().rule == "unknown_error_in_log");
}

TEST_CASE("words in common are no verdict, and none are searched for where the program went on") {
    const std::string error =
        "SomeToolError: the GPU driver of this host is older than the CUDA runtime version of the "
        "program needs\n";
    const Report alone = diagnosis(error.c_str());
    CHECK(alone.verdict == OverallVerdict::undetermined);
    const Report trained = diagnosis((error + "Epoch 2/5 - loss: 0.31 - accuracy: 0.90\n").c_str());
    for (const Finding& finding : trained.findings)
        CHECK(finding.rule == "unknown_error_in_log");
}
