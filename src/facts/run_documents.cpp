// A report has runs of the same cases on several GPUs; written out in each of
// them the cases would be most of it.
#include "facts/run_documents.hpp"

#include <cstdio>
#include <cstdlib>

#include "rnn/case.hpp"

namespace rnncheck {

namespace {

/// Six digits: more of an error or a time mean nothing, and make a report long.
void round_measurements(Json& run) {
    for (const char* name : {"largest_error", "limit", "first_ms", "repeat_ms"})
        if (const auto found = run.find(name); found != run.end() && found->is_number_float()) {
            char digits[32];
            std::snprintf(digits, sizeof digits, "%.6g", found->get<double>());
            *found = std::strtod(digits, nullptr);
        }
}

}  // namespace

void RoomForRuns::take(const Json& run, const std::string& place) {
    // beside that of its text
    constexpr std::size_t memory_of_a_run = 512;
    const std::size_t size = run.dump().size() + memory_of_a_run;
    if (size > left_)
        wrong(place, "more or larger runs than any machine has");
    left_ -= size;
}

/// Ids are given in the order of first use, so that the same facts
/// are always the same document.
void describe_cases_once(Json& facts) {
    const Json usual = to_json(RnnCase());
    Json cases = Json::array();
    std::map<Json, std::size_t> ids;
    for (Json& run : facts["rnn_runs"]) {
        round_measurements(run);
        const auto [known, is_new] = ids.try_emplace(std::move(run["case"]), cases.size() + 1);
        run.erase("case");
        run["case_id"] = known->second;
        if (!is_new)
            continue;
        Json& described = cases.emplace_back(Json{{"case_id", known->second}});
        for (const auto& [name, value] : known->first.items())
            if (value != usual[name])
                described[name] = value;
    }
    facts["rnn_cases"] = std::move(cases);
}

std::map<Json, Json> cases_by_id(const Json& facts) {
    std::map<Json, Json> cases;
    for (Json rnn_case : facts["rnn_cases"]) {
        if (!rnn_case.is_object())
            wrong("facts.rnn_cases", "a list of cases is expected");
        const Json id = rnn_case.value("case_id", Json());
        rnn_case.erase("case_id");
        cases.emplace(id, std::move(rnn_case));
    }
    return cases;
}

void put_case_into_run(
    Json& run, const std::map<Json, Json>& cases, const std::string& place, RoomForRuns& room) {
    const auto known_case = cases.find(run.value("case_id", Json()));
    if (known_case == cases.end())
        wrong(place + ".case_id", "no case of rnn_cases has this id");
    run.erase("case_id");
    run["case"] = known_case->second;
    room.take(run, place);
}

void put_cases_into_runs(Json& facts) {
    if (!facts.contains("rnn_cases"))
        return;
    const std::map<Json, Json> cases = cases_by_id(facts);
    facts.erase("rnn_cases");
    if (!facts.contains("rnn_runs"))
        return;
    RoomForRuns room;
    std::size_t index = 0;
    for (Json& run : facts["rnn_runs"]) {
        const std::string place = "facts.rnn_runs[" + std::to_string(index++) + ']';
        if (!run.is_object())
            wrong(place, "an object is expected");
        put_case_into_run(run, cases, place, room);
    }
}

}  // namespace rnncheck
