#include "facts/older_schemas.hpp"

#include "base/program.hpp"
#include "facts/facts.hpp"
#include "support/catch.hpp"
#include "support/healthy_machine.hpp"

using namespace rnncheck;
using namespace rnncheck::test;

namespace {

std::string refusal(const Json& document) {
    try {
        facts_from_text(document.dump(), "file.json");
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

/// Two runs of one case on each of two GPUs with the columns of schema 3.
Json in_columns() {
    return Json::parse(R"({"schema": 3,
        "rnn_cases": [{"case_id": 1, "hidden": 7}],
        "rnn_runs": [{"library": "/lib/libcudnn.so.9", "dialect": "v8", "gpus": [0, 1], "count": 2,
                      "indexes": [0, 2], "number": [1, 2], "case_id": 1, "end": ["ok", "incorrect"],
                      "first_ms": [[131, 17.2], 5], "largest_error": [null, 0.5]}]})");
}

}  // namespace

TEST_CASE("facts of schema 2, in which each run holds its case, are read") {
    Facts facts = a_healthy_machine();
    Json old = to_json(facts);
    old["schema"] = 2;
    CHECK(facts_to_text(facts_from_text(old.dump(), "text")) == facts_to_text(facts));
}

TEST_CASE("runs in the columns of schema 3 are read one by one, in the order of their indexes") {
    const Facts facts = facts_from_text(in_columns().dump(), "text");
    REQUIRE(facts.rnn_runs.size() == 4);
    const RnnRun &first = facts.rnn_runs[0], &last = facts.rnn_runs[3];
    CHECK(first.rnn_case.hidden == 7);
    CHECK(first.rnn_api == RnnApi::v8);
    CHECK(first.first_ms == 131);
    CHECK_FALSE(first.largest_error);
    CHECK(last.gpu == 1);
    CHECK(last.number == 2);
    CHECK(last.end == RunEnd::incorrect);
    CHECK(last.first_ms == 5);
    CHECK(last.largest_error == 0.5);
}

TEST_CASE("columns that do not agree are rejected with their place") {
    const auto refusal_of = [](const char* member, const Json& value) {
        Json changed = in_columns();
        changed["rnn_runs"][0][member] = value;
        return refusal(changed);
    };
    CHECK(
        refusal_of("case_id", 99) == "facts.rnn_runs[0].case_id: no case of rnn_cases has this id");
    CHECK(
        refusal_of("case_id", Json::array())
            .find("facts.rnn_runs[0].case_id: a list with one item") == 0);
    CHECK(
        refusal_of("indexes", Json::array())
            .find("facts.rnn_runs[0].indexes: a list with one item") == 0);
    CHECK(refusal_of("indexes", {-1, 1}).find("facts.rnn_runs[0].indexes: whole numbers") == 0);
    CHECK(refusal_of("indexes", {0, 1}).find("two runs have the same index") != std::string::npos);
    CHECK(refusal_of("gpus", {0}).find("facts.rnn_runs[0].indexes: a list with one item") == 0);
    CHECK(refusal_of("gpus", {"0", "1"}).find("facts.rnn_runs[0].gpu: a whole number") == 0);
    CHECK(
        refusal_of("end", Json::array({"ok"}))
            .find("facts.rnn_runs[0].end: a list with one item") == 0);
    CHECK(refusal_of("count", "many") == "facts.rnn_runs[0].count: a whole number is expected");
    Json hostile = in_columns();
    hostile["rnn_runs"] = Json::array(
        {{{"gpus", {0}},
          {"indexes", {0}},
          {"case_id", 1},
          {"library", std::string(1'000'000, 'x')},
          {"count", 1'000'000'000}}});
    CHECK(refusal(hostile) == "facts.rnn_runs[0]: more or larger runs than any machine has");
}

TEST_CASE("renamed members and values of earlier schemas are read") {
    std::vector<std::string> unknown;
    const Facts facts = facts_from_text(
        R"({"schema": 3, "tool": {"stages": ["look", "ask", "run"]},
            "cudnns": [{"library": "/lib/libcudnn.so.9", "dialects": ["v8"]}],
            "pythons": [{"path": "/venv", "left_out": ["x"]}],
            "frameworks": [{"name": "pytorch", "asked": true, "shown_by": "/torch/version.py"}],
            "rnn_request": {"dialect": "legacy"},
            "rnn_dropouts": [{"moves_on": true, "dialect": "legacy"}]})",
        "text",
        &unknown);
    CHECK(unknown.empty());
    CHECK(facts.tool.stages == std::vector<std::string>{"look", "query", "run"});
    CHECK(facts.cudnns.front().rnn_apis == std::vector<std::string>{"v8"});
    CHECK(facts.pythons.front().skipped == std::vector<std::string>{"x"});
    CHECK(facts.frameworks.front().requested);
    CHECK(facts.frameworks.front().evidence == "/torch/version.py");
    CHECK(facts.rnn_request->rnn_api == RnnApi::legacy);
    CHECK(facts.rnn_dropouts.front().mask_changes == true);
    CHECK(facts.rnn_dropouts.front().rnn_api == RnnApi::legacy);
}

TEST_CASE("a report of an earlier schema becomes one of today") {
    const std::string report = R"({"schema": 3, "verdict": "healthy", "facts": )";
    const Json current = report_in_current_schema(report + in_columns().dump() + '}');
    CHECK(current["schema"] == report_schema);
    CHECK(current["verdict"] == "healthy");
    CHECK(current["facts"]["schema"] == facts_schema);
    CHECK(current["facts"]["rnn_runs"].size() == 4);
    CHECK(current["facts"]["rnn_runs"][3]["gpu"] == 1);
}
