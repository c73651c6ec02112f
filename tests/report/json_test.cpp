#include <limits>

#include "base/program.hpp"
#include "base/text.hpp"
#include "facts/facts.hpp"
#include "report/documents.hpp"
#include "sample_reports.hpp"
#include "support/catch.hpp"

namespace {

using namespace rnncheck;
using namespace rnncheck::test;

std::string message_for(const std::string& text) {
    try {
        facts_from_text(text, "'x.json'");
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("facts survive the way into a report and back") {
    for (const Report& report : {healthy_report(), report_of_eight_gpus(), Report{}}) {
        const Facts back = facts_from_text(json_text(report), "report");
        CHECK(facts_to_text(back) == facts_to_text(report.facts));
    }
}

TEST_CASE("after one way through JSON hostile texts change no more") {
    const Facts once = facts_from_text(json_text(report_with_many_findings()), "report");
    CHECK(facts_to_text(facts_from_text(facts_to_text(once), "facts")) == facts_to_text(once));
}

TEST_CASE("the JSON report is plain ASCII without control characters and ends with one line end") {
    const std::string text = json_text(report_with_many_findings());
    CHECK(std::all_of(
        text.begin(), text.end(), [](char c) { return c == '\n' || (c >= ' ' && c < 0x7F); }));
    CHECK(text.ends_with("}\n"));
    CHECK(text == json_text(report_with_many_findings()));
}

TEST_CASE("a number that JSON cannot hold is left out") {
    Report report = healthy_report();
    report.facts.rnn_runs[0].largest_error = std::numeric_limits<double>::infinity();
    report.facts.rnn_runs[1].largest_error = std::numeric_limits<double>::quiet_NaN();
    const std::string text = json_text(report);
    CHECK_FALSE((contains(text, " inf") || contains(text, " nan")));
    CHECK_FALSE(facts_from_text(text, "report").rnn_runs[0].largest_error);
}

TEST_CASE("unusable facts are rejected with a sentence that names the place") {
    CHECK(contains(message_for(""), "'x.json' is empty"));
    CHECK(contains(message_for(std::string("{\"schema\"\0:1}", 13)), "error at byte 10"));
    CHECK(contains(message_for("{\"schema\":2,\"cuda_devices\":[{\"ind"), "is not JSON"));
    CHECK(contains(message_for("[]"), "contains no facts"));
    CHECK(contains(message_for("{\"schema\":77}"), "schema 77"));
    CHECK(contains(message_for("{\"schema\":2,\"cuda_devices\":[{\"index\":1e400}]}"), "number"));
    CHECK(contains(
        message_for("{\"schema\":2,\"cuda_devices\":[{},{\"index\":99999999999}]}"),
        "cuda_devices[1].index: the number is out of range"));
    CHECK(contains(
        message_for("{\"schema\":2,\"cuda_devices\":[{\"compute_capability\":\"8.x\"}]}"),
        "cuda_devices[0].compute_capability: '8.x' is not a version"));
    CHECK(contains(
        message_for("{\"schema\":2,\"host\":{\"environment\":{\"A\":1}}}"), "host.environment.A"));
    CHECK(contains(
        message_for("{\"schema\":2,\"rnn_runs\":[{\"end\":\"fine\"}]}"),
        "rnn_runs[0].end: 'fine'"));
    CHECK(contains(
        message_for("{\"schema\":2,\"driver\":" + std::string(100'000, '[')), "nested deeper"));
    CHECK(contains(
        message_for("{\"schema\":2,\"cuda_devices\":{}}"), "cuda_devices: a list is expected"));
    CHECK(contains(message_for("\xff\xfe{}"), "is not JSON"));
}
