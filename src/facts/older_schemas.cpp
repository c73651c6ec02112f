// Schema 3 wrote runs that ended alike on several GPUs once, in columns; schema
// 2 wrote each by itself, as today.
#include "facts/older_schemas.hpp"

#include <map>

#include "facts/facts.hpp"
#include "facts/run_documents.hpp"

namespace rnncheck {

namespace {

/// What GPUs on which the same cases ended alike need not have in common:
/// a list has one for each GPU.
struct OwnMember {
    const char *one, *list;
};
constexpr OwnMember own_members[] = {
    {"gpu", "gpus"},
    {"first_ms", "first_ms"},
    {"repeat_ms", "repeat_ms"},
    {"free_bytes", "free_bytes"}};
/// of each GPU's first run in the list of all, as evidence names it
constexpr const char* indexes = "indexes";
/// of runs on each GPU
constexpr const char* run_count = "count";

/// Item `i` of a list of so many, which a hostile file may lack.
const Json& item_of(
    const Json& list, std::size_t i, std::size_t count, const std::string& place, const char* one) {
    if (!list.is_array() || list.size() != count)
        wrong(place, "a list with one item for each " + std::string(one) + " is expected");
    return list[i];
}

/// How many runs on how many GPUs an entry of rnn_runs has.
struct Extent {
    std::size_t gpus, runs;
};

/// A column of one value holds for all GPUs or all runs; else it has one value for each.
/// Run `i` on GPU `g` of an entry of schema 3, which has columns.
Json one_run(
    const Json& like,
    const Extent& extent,
    std::size_t g,
    std::size_t i,
    const std::string& place) {
    Json run = Json::object();
    for (const auto& [name, column] : like.items()) {
        if (name == indexes || name == run_count)
            continue;
        const auto own = std::ranges::find(own_members, name, &OwnMember::list);
        const bool is_own = own != std::end(own_members);
        const std::string column_place = place + '.' + name;
        const Json* value = &column;
        if (is_own)
            value = &item_of(*value, g, extent.gpus, column_place, "GPU");
        if (value->is_array())
            value = &item_of(*value, i, extent.runs, column_place, "run");
        if (!value->is_null())
            run[is_own ? own->one : name] = *value;
    }
    return run;
}

/// The runs of `like`, each at its index.
void add_runs(
    const Json& like,
    const std::map<Json, Json>& cases,
    const std::string& place,
    std::map<Json, Json>& runs,
    RoomForRuns& room) {
    if (!like.is_object() || !like.contains("gpus"))
        wrong(place, "an object with a list of GPUs is expected");
    const Json length = like.value(run_count, Json());
    if (!length.is_number_unsigned())
        wrong(place + '.' + run_count, "a whole number is expected");
    const Extent extent{like["gpus"].size(), length.get<std::size_t>()};
    for (std::size_t g = 0; g < extent.gpus; ++g) {
        const Json first =
            item_of(like.value(indexes, Json()), g, extent.gpus, place + '.' + indexes, "GPU");
        if (!first.is_number_unsigned())
            wrong(place + '.' + indexes, "whole numbers are expected");
        for (std::size_t i = 0; i < extent.runs; ++i) {
            Json run = one_run(like, extent, g, i, place);
            put_case_into_run(run, cases, place, room);
            if (!runs.emplace(first.get<std::size_t>() + i, std::move(run)).second)
                wrong(place + '.' + indexes, "two runs have the same index");
        }
    }
}

/// Runs of schema 3, each by itself; those of schema 2 are.
/// The indexes restore the order of the list, which evidence refers to: "rnn_runs[3]".
void unpack_rnn_runs(Json& facts) {
    if (!facts.contains("rnn_cases"))
        return;
    const std::map<Json, Json> cases = cases_by_id(facts);
    std::map<Json, Json> runs;
    facts.erase("rnn_cases");
    std::size_t i = 0;
    RoomForRuns room;
    for (const Json& like : facts.value("rnn_runs", Json::array()))
        add_runs(like, cases, "facts.rnn_runs[" + std::to_string(i++) + ']', runs, room);
    facts["rnn_runs"] = Json::array();
    for (auto& [index, run] : runs)
        facts["rnn_runs"].push_back(std::move(run));
}

/// In each item of a list of the facts, or in the one object.
struct RenamedMember {
    const char *where, *old, *current;
};
constexpr RenamedMember renamed_members[] = {
    {"cudnns", "dialects", "rnn_apis"},
    {"frameworks", "asked", "requested"},
    {"frameworks", "shown_by", "evidence"},
    {"pythons", "left_out", "skipped"},
    {"rnn_dropouts", "dialect", "rnn_api"},
    {"rnn_dropouts", "moves_on", "mask_changes"},
    {"rnn_fits", "dialect", "rnn_api"},
    {"rnn_request", "dialect", "rnn_api"},
    {"rnn_runs", "dialect", "rnn_api"}};

void rename_member(Json& object, const RenamedMember& member) {
    if (!object.is_object() || !object.contains(member.old))
        return;
    object[member.current] = std::move(object[member.old]);
    object.erase(member.old);
}

void rename_members(Json& facts) {
    for (const RenamedMember& member : renamed_members) {
        const auto found = facts.find(member.where);
        if (found == facts.end())
            continue;
        rename_member(*found, member);
        if (found->is_array())
            for (Json& item : *found)
                rename_member(item, member);
    }
}

/// The stage that opens vendor libraries had another name.
void rename_stage(Json& facts) {
    const auto tool = facts.find("tool");
    if (tool == facts.end() || !tool->is_object() || !tool->contains("stages"))
        return;
    for (Json& stage : (*tool)["stages"])
        if (stage == "ask")
            stage = "query";
}

}  // namespace

void upgrade_facts(Json& facts) {
    const Json schema = facts.value("schema", Json());
    if (!schema.is_number_integer() || schema >= facts_schema)
        return;
    unpack_rnn_runs(facts);
    rename_members(facts);
    rename_stage(facts);
    facts["schema"] = facts_schema;
}

}  // namespace rnncheck
