#include "facts/facts_json.hpp"

#include <map>

#include "base/json.hpp"
#include "base/program.hpp"

namespace rnncheck {

namespace {

/// Deeper nesting than any facts document has; stops a hostile file before it exhausts the stack.
constexpr int deepest = 32;

constexpr const char* what_to_give = "; give a file written by --save-facts or a report written with --json";

[[noreturn]] void not_json(const std::string& name, std::size_t byte) {
    throw InputError(name + " is not JSON (error at byte " + std::to_string(byte) + ")" + what_to_give);
}

void require_schema(const Json& json, int newest, const std::string& what, const std::string& name) {
    const Json schema = json.value("schema", Json());
    if (schema.is_number_integer() && schema >= oldest_schema && schema <= newest) return;
    const std::string found = json.contains("schema") ? escaped(json["schema"].dump(), 20) : "unknown";
    throw InputError(name + ": " + what + " of schema " + found + " cannot be read by this rnncheck (it reads schema " +
                     std::to_string(oldest_schema) + " to " + std::to_string(newest) + ")");
}

/// Fields of `json` that the schema of its structure does not name.
void collect_unknown(const Json& json, const Json& schema, const std::string& place,
                     std::vector<std::string>& unknown) {
    if (json.is_array() && schema.contains("items")) {
        for (std::size_t i = 0; i < json.size(); ++i)
            collect_unknown(json[i], schema["items"], place + '[' + std::to_string(i) + ']', unknown);
    } else if (json.is_object() && schema.contains("properties")) {
        for (const auto& [key, item] : json.items()) {
            const auto known = schema["properties"].find(key);
            if (known == schema["properties"].end())
                unknown.push_back(place + '.' + original_bytes(key));
            else
                collect_unknown(item, *known, place + '.' + key, unknown);
        }
    }
}

Json parse_bounded(std::string_view text, const std::string& name) {
    if (trim(text).empty()) throw InputError(name + " is empty" + what_to_give);
    // The parser would take it for the end of the text.
    if (const auto at = text.find('\0'); at != std::string_view::npos) not_json(name, at + 1);
    const auto too_deep = [&](int depth, Json::parse_event_t, Json&) {
        if (depth > deepest) throw InputError(name + ": nested deeper than any facts document");
        return true;
    };
    try {
        return Json::parse(text, too_deep);
    } catch (const Json::parse_error& error) {
        not_json(name, error.byte);
    } catch (const Json::out_of_range&) {
        throw InputError(name + " holds a number that no machine has; give a file written by --save-facts");
    }
}

/// What runs that are described together need not have in common; beside it a list has one for each of them.
struct OwnMember {
    const char *one, *list;
};
constexpr OwnMember own_members[] = {
    {"gpu", "gpus"}, {"first_ms", "first_ms"}, {"repeat_ms", "repeat_ms"}, {"free_bytes", "free_bytes"}};
constexpr const char* places = "indexes";  ///< those in the list of all runs, which evidence names: rnn_runs[17]

/// What describes a run and those that are like it.
Json common_part(Json run, int case_id) {
    run.erase("case");
    run["case_id"] = case_id;
    for (const OwnMember& own : own_members)
        if (run.erase(own.one) > 0) run[own.list] = Json::array();
    run[places] = Json::array();
    return run;
}

void share_cases(Json& facts) {
    Json cases = Json::array(), shared = Json::array();
    std::map<Json, int> case_ids;
    std::map<Json, std::size_t> known;
    std::size_t index = 0;
    for (const Json& run : facts["rnn_runs"]) {
        const auto [id, is_new_case] = case_ids.try_emplace(run["case"], static_cast<int>(case_ids.size()) + 1);
        if (is_new_case) cases.push_back(run["case"]), cases.back()["case_id"] = id->second;
        const auto [at, is_new] = known.try_emplace(common_part(run, id->second), shared.size());
        if (is_new) shared.push_back(at->first);
        Json& like = shared[at->second];
        for (const OwnMember& own : own_members)
            if (run.contains(own.one)) like[own.list].push_back(run[own.one]);
        like[places].push_back(index++);
    }
    facts["rnn_cases"] = std::move(cases);
    facts["rnn_runs"] = std::move(shared);
}

/// Item `i` of a list that a hostile file may lack.
const Json& item_of(const Json& object, const char* list, std::size_t i, const std::string& place) {
    const auto found = object.find(list);
    if (found == object.end() || !found->is_array() || i >= found->size())
        wrong(place + '.' + list, "a list with one item for each run is expected");
    return (*found)[i];
}

/// The runs of `like`, each at its index. `room` bounds what a hostile file can make of a few bytes.
void add_runs(const Json& like, const std::map<Json, Json>& cases, const std::string& place, std::map<Json, Json>& runs,
              std::size_t& room) {
    if (!like.is_object() || !like.contains("gpus")) wrong(place, "an object with a list of GPUs is expected");
    const auto known_case = cases.find(like.value("case_id", Json()));
    if (known_case == cases.end()) wrong(place + ".case_id", "no case of rnn_cases has this id");
    const std::size_t count = like["gpus"].size(), size = like.dump().size() + known_case->second.dump().size();
    if (count > 0 && size > room / count) wrong(place, "more or larger runs than any machine has");
    room -= count * size;
    for (std::size_t i = 0; i < count; ++i) {
        Json run = like;
        for (const char* member : {"case_id", places}) run.erase(member);
        for (const OwnMember& own : own_members) run.erase(own.list);
        for (const OwnMember& own : own_members)
            if (like.contains(own.list)) run[own.one] = item_of(like, own.list, i, place);
        run["case"] = known_case->second;
        if (!runs.emplace(item_of(like, places, i, place), std::move(run)).second)
            wrong(place + '.' + places, "two runs have the same index");
    }
}

/// The reverse of share_cases; the facts of older schemas stay as they are.
void describe_each_run(Json& facts) {
    if (!facts.contains("rnn_cases")) return;
    std::map<Json, Json> cases, runs;
    for (Json rnn_case : facts["rnn_cases"]) {
        if (!rnn_case.is_object()) wrong("facts.rnn_cases", "a list of cases is expected");
        const Json id = rnn_case.value("case_id", Json());
        rnn_case.erase("case_id");
        cases.emplace(id, std::move(rnn_case));
    }
    facts.erase("rnn_cases");
    std::size_t i = 0, room = std::size_t{256} << 20;
    for (const Json& like : facts.value("rnn_runs", Json::array()))
        add_runs(like, cases, "facts.rnn_runs[" + std::to_string(i++) + ']', runs, room);
    facts["rnn_runs"] = Json::array();
    for (auto& [index, run] : runs) facts["rnn_runs"].push_back(std::move(run));
}

}  // namespace

Json facts_to_json(const Facts& facts) {
    Json json = to_json(facts);
    share_cases(json);
    return json;
}

Json facts_json_schema() {
    const auto list_of = [](const Json& items, const char* about) {
        return Json{{"type", "array"}, {"items", items}, {"description", about}};
    };
    const Json whole = {{"type", "integer"}};
    Json schema = schema_of<Facts>();
    Json& run = schema["properties"]["rnn_runs"]["items"];
    Json& members = run["properties"];
    Json cases = members["case"];
    members.erase("case");
    cases["properties"]["case_id"] = members["case_id"] = whole;
    cases["required"].push_back("case_id");
    for (const OwnMember& own : own_members) {
        const Json one = members[own.one];
        members.erase(own.one);
        members[own.list] = list_of(one, "one for each run that is described here");
    }
    members[places] = list_of(whole, "place of each in the list of all runs: rnn_runs[N] in evidence");
    run["required"] = {"library", "dialect", "number", "end", "case_id", "gpus", places};
    schema["properties"]["rnn_cases"] = list_of(cases, "the cases of rnn_runs, each once");
    schema["required"].push_back("rnn_cases");
    return schema;
}

Facts facts_from_json(Json json) {
    describe_each_run(json);
    Facts facts;
    from_json(json, facts, "facts");
    facts.schema = facts_schema;
    return facts;
}

std::string facts_to_text(const Facts& facts, int indent) {
    return facts_to_json(facts).dump(indent);
}

Facts facts_from_text(std::string_view text, const std::string& name, std::vector<std::string>* unknown) {
    Json json = parse_bounded(text, name);
    if (json.is_object() && json.contains("facts")) {
        require_schema(json, report_schema, "a report", name);
        json = Json(json["facts"]);
    }
    if (!json.is_object() || !json.contains("schema")) throw InputError(name + " holds no facts" + what_to_give);
    require_schema(json, facts_schema, "facts", name);
    describe_each_run(json);
    Facts facts = facts_from_json(json);
    if (unknown) collect_unknown(json, schema_of<Facts>(), "facts", *unknown);
    return facts;
}

}  // namespace rnncheck
