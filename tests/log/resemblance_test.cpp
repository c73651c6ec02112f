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
    CHECK(
        rules::words_of_pattern("(?:cuInit failed|No (?:GPU|CUDA) found)") ==
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

TEST_CASE(
    "a log without an error that complains has possible causes by its words, and no verdict") {
    const Report report = diagnosis(
        "Using board 0\n"
        "the driver of the host is not new enough for the CUDA runtime version of this program\n");
    REQUIRE_FALSE(report.findings.empty());
    CHECK(report.verdict == OverallVerdict::undetermined);
    CHECK(report.findings.front().rule == "driver_too_old");
    CHECK(report.findings.front().confidence == Confidence::possible);
    CHECK(report.findings.front().evidence.front().value.starts_with("line 2: the driver"));
    for (const Finding& finding : report.findings)
        CHECK(finding.rule != "program_end_not_in_log");
    // The same words in a log that goes on, or in a line that only informs, are no complaint.
    CHECK(
        diagnosis("the driver is not new enough for the CUDA runtime version\n"
                  "Epoch 2/5 - loss: 0.31 - accuracy: 0.90\n")
            .verdict == OverallVerdict::healthy);
    const Report informs =
        diagnosis("INFO: the driver of the host is not new, CUDA runtime version 12.4\n");
    REQUIRE(informs.findings.size() == 1);
    CHECK(informs.findings.front().rule == "program_end_not_in_log");
}

TEST_CASE("beside a single cause that is not certain the causes with words in common are named") {
    const Report report = diagnosis(
        "ERROR: Could not find a version that satisfies the requirement torch (from versions: "
        "none)\n"
        "the connection to the index failed: Temporary failure in name resolution, retrying the "
        "download\n");
    REQUIRE(report.findings.size() >= 2);
    CHECK(report.findings.size() <= 3);
    CHECK(report.findings.front().confidence != Confidence::certain);
    for (std::size_t i = 1; i < report.findings.size(); ++i)
        CHECK(report.findings[i].weight <= report.findings[i - 1].weight);
}
