#include "facts/facts.hpp"

#include "base/json.hpp"
#include "base/program.hpp"
#include "support/catch.hpp"
#include "support/healthy_machine.hpp"

using namespace rnncheck;
using namespace rnncheck::test;

namespace {

std::string refusal(const std::string& text) {
    try {
        facts_from_text(text, "file.json");
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("facts survive the way to text and back") {
    const std::string text = facts_to_text(a_healthy_machine());
    CHECK(facts_to_text(facts_from_text(text, "text")) == text);
    CHECK(text.find('\n') == std::string::npos);
}

TEST_CASE("a whole report is read as its facts") {
    const std::string facts = facts_to_text(a_healthy_machine());
    CHECK(
        facts_to_text(facts_from_text("{\"schema\": 2, \"facts\": " + facts + "}", "report")) ==
        facts);
}

TEST_CASE("a case is described once, and each run is an object that refers to it") {
    Facts facts = a_healthy_machine();
    const std::vector<RnnRun> of_one_gpu = std::exchange(facts.rnn_runs, {});
    for (const int gpu : {1, 2})
        for (RnnRun run : of_one_gpu) {
            run.gpu = gpu;
            run.first_ms = gpu + 0.5;
            facts.rnn_runs.push_back(run);
        }
    const std::string text = facts_to_text(facts);
    const Json document = Json::parse(text);
    REQUIRE(document["rnn_runs"].size() == 2 * of_one_gpu.size());
    CHECK(document["rnn_cases"].size() <= of_one_gpu.size());
    const Json& last = document["rnn_runs"].back();
    CHECK(last["gpu"] == 2);
    CHECK(last["first_ms"] == 2.5);
    CHECK(last["case_id"] == document["rnn_runs"][of_one_gpu.size() - 1]["case_id"]);
    CHECK_FALSE(last.contains("case"));
    const Facts back = facts_from_text(text, "text");
    CHECK(to_json(back) == to_json(facts));  // the order too, by which evidence names runs
}

TEST_CASE("a run that does not fit its cases is rejected with its place") {
    Facts facts = a_healthy_machine();
    REQUIRE(!facts.rnn_runs.empty());
    const Json document = Json::parse(facts_to_text(facts));
    const auto refusal_of = [&](const char* member, const Json& value) {
        Json changed = document;
        changed["rnn_runs"][0][member] = value;
        return refusal(changed.dump());
    };
    CHECK(
        refusal_of("case_id", 99) == "facts.rnn_runs[0].case_id: no case of rnn_cases has this id");
    CHECK(refusal_of("gpu", "0").find("facts.rnn_runs[0].gpu: a whole number") == 0);
    Json hostile = document;
    hostile["rnn_cases"] =
        Json::array({{{"case_id", 1}, {"of_the_future", std::string(1'000'000, 'x')}}});
    hostile["rnn_runs"] = Json(std::vector<Json>(100, Json{{"case_id", 1}}));
    CHECK(
        refusal(hostile.dump()) == "facts.rnn_runs[67]: more or larger runs than any machine has");
    Json changed = document;
    changed["rnn_runs"][0] = 1;
    CHECK(refusal(changed.dump()) == "facts.rnn_runs[0]: an object is expected");
    changed["rnn_cases"] = 1;
    CHECK(refusal(changed.dump()) == "facts.rnn_cases: a list of cases is expected");
}

TEST_CASE("unset stays unset, unknown fields are passed over") {
    const Facts facts = facts_from_text(
        R"({"schema": 2, "driver": {"cuda_version": null, "of_the_future": 1}})", "text");
    CHECK_FALSE(facts.driver.cuda_version);
    CHECK(facts.cuda_devices.empty());
}

TEST_CASE("fields that are not known are reported with their place") {
    std::vector<std::string> unknown;
    facts_from_text(
        R"({"schema": 2, "drivers": {}, "cuda_devices": [{"index": 0}, {"index": 1, "nmae": "x"}]})",
        "text",
        &unknown);
    CHECK(unknown == std::vector<std::string>{"facts.cuda_devices[1].nmae", "facts.drivers"});
    unknown.clear();
    facts_from_text(facts_to_text(a_healthy_machine()), "text", &unknown);
    CHECK(unknown.empty());
}

TEST_CASE("a wrong document is rejected with its name and the place") {
    CHECK(refusal("not json").find("file.json is not JSON") == 0);
    CHECK(refusal("[]").find("file.json contains no facts") == 0);
    CHECK(refusal("{}").find("file.json contains no facts") == 0);
    CHECK(refusal("").find("file.json is empty") == 0);
    CHECK(refusal(" \n").find("file.json is empty") == 0);
    CHECK(
        refusal(std::string("{\"schema\": 1}\n\0\0", 16))
            .find("file.json is not JSON (error at byte 15)") == 0);
    CHECK(
        refusal(R"({"schema": 1, "facts": {"schema": 2}})")
            .find("file.json: a report of schema 1 cannot be read") == 0);
    CHECK(
        refusal(R"({"facts": {"schema": 1}})").find("file.json: a report of schema unknown") == 0);
    CHECK(
        refusal(R"({"schema": 2, "facts": {"schema": 1}})").find("file.json: facts of schema 1") ==
        0);
    CHECK(refusal(R"({"schema": 99})").find("schema 99") != std::string::npos);
    CHECK(
        refusal(R"({"schema": 2, "cuda_devices": [{"index": 0, "compute_capability": "8.x"}]})") ==
        "facts.cuda_devices[0].compute_capability: '8.x' is not a version");
    CHECK(
        refusal(R"({"schema": 2, "cuda_devices": {}})") ==
        "facts.cuda_devices: a list is expected");
    CHECK(
        refusal(R"({"schema": 2, "cuda_devices": [{"index": 1e99}]})")
            .find("facts.cuda_devices[0].index: a whole number") == 0);
    CHECK(
        refusal(R"({"schema": 2, "cuda_devices": [{"index": 99999999999999999999}]})")
            .find("facts.cuda_devices[0].index") == 0);
    CHECK(
        refusal(R"({"schema": 2, "cuda_devices": [{"index": 4294967296}]})").find("out of range") !=
        std::string::npos);
    CHECK(
        refusal(R"({"schema": 2, "probe_runs": [{"end": "melted"}]})")
            .find("'melted' is not one of ") != std::string::npos);
    CHECK(
        refusal(R"({"schema": 2, "probe_runs": [{"elapsed_ms": 1e999}]})")
            .find("file.json contains a number") == 0);
    CHECK(refusal(std::string(100'000, '[')).find("file.json") == 0);
    CHECK(
        refusal("{\"schema\": 1, \"host\": " + std::string(50, '[') + std::string(50, ']') + "}")
            .find("nested deeper") != std::string::npos);
}

TEST_CASE("merging fills what is unset, keeps what is set, joins what has a key") {
    Facts facts;
    facts.driver.cuda_version = v("12.4");
    facts.cudnns.push_back({});
    facts.cudnns[0].library = "/a/libcudnn.so.9";
    facts.cudnns[0].version = v("9.1.0");

    Facts news;
    news.driver.cuda_version = v("11.0");
    news.driver.library_version = v("550.54.14");
    news.host.environment["LD_LIBRARY_PATH"] = "/a";
    Cudnn later;
    later.library = "/a/libcudnn.so.9";
    later.rnn_usable = false;
    Cudnn other;
    other.library = "/b/libcudnn.so.9";
    news.cudnns = {later, other};
    merge(facts, news);

    CHECK(facts.driver.cuda_version == v("12.4"));
    CHECK(facts.driver.library_version == v("550.54.14"));
    CHECK(facts.host.environment.at("LD_LIBRARY_PATH") == "/a");
    REQUIRE(facts.cudnns.size() == 2);
    CHECK(facts.cudnns[0].version == v("9.1.0"));
    CHECK(facts.cudnns[0].rnn_usable == false);
    CHECK(facts.cudnns[1].library == "/b/libcudnn.so.9");
}

TEST_CASE("text that is not UTF-8 still makes valid JSON and comes back byte for byte") {
    Facts facts;
    facts.host.os = "bad \xff name";
    facts.host.environment["A\xff"] = "\\xff \xfe";
    const Facts again = facts_from_text(facts_to_text(facts), "text");
    CHECK(again.host.os == facts.host.os);
    CHECK(again.host.environment == facts.host.environment);
}

TEST_CASE("a document that lacks a field is incomplete, and states what it lacks") {
    const auto missing_in = [](const Json& document) {
        return facts_from_text(document.dump(), "text").tool.missing_fields;
    };
    const Json whole = Json::parse(facts_to_text(test::a_healthy_machine()));
    CHECK_FALSE(missing_in(whole));
    Json changed = whole;
    changed.erase("pythons");
    CHECK(missing_in(changed) == "pythons");
    CHECK(
        facts_from_text(facts_to_text(facts_from_text(changed.dump(), "text")), "text")
            .tool.missing_fields ==
        "pythons");  // it is still missing when the facts are saved again
    changed = whole;
    for (const char* field : {"cudnns", "driver", "frameworks", "libraries"})
        changed.erase(field);
    CHECK(missing_in(changed) == "driver, libraries, cudnns and 1 more");
    changed = whole;
    changed["probe_runs"][0].erase("end");
    CHECK(missing_in(changed) == "probe_runs[0].end");
    // Fields that schema 3 did not have at first: one of the facts, one of an item.
    changed = Json::parse(R"({"schema": 3, "rnn_cases": []})");
    for (const auto& [name, value] : whole.items())
        if (!changed.contains(name) && name != "rnn_runs" && name != "import_orders")
            changed[name] = value;
    changed["rnn_runs"] = Json::array();
    for (Json& cudnn : changed["cudnns"]) {
        cudnn["dialects"] = cudnn["rnn_apis"];
        cudnn.erase("rnn_apis");
    }
    changed["cudnns"][0].erase("files");
    CHECK_FALSE(missing_in(changed));
}
