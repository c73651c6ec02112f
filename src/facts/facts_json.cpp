#include <cstdio>
#include <cstdlib>
#include <map>

#include "base/json.hpp"
#include "base/program.hpp"
#include "facts/facts.hpp"
#include "facts/old_ids.hpp"

namespace rnncheck {

namespace {

/// Deeper nesting than any facts document has; stops a hostile file before it exhausts the stack.
constexpr int deepest = 32;

constexpr const char* what_to_give =
    "; give a file written by --save-facts or a report written with --json";

[[noreturn]] void not_json(const std::string& name, std::size_t byte) {
    throw InputError(name + " is not JSON (error at byte " + std::to_string(byte) + ")" +
                     what_to_give);
}

void require_schema(const Json& json, int newest, const std::string& what,
                    const std::string& name) {
    const Json schema = json.value("schema", Json());
    if (schema.is_number_integer() && schema >= oldest_schema && schema <= newest)
        return;
    std::string found = "unknown";
    if (json.contains("schema"))
        found = escaped(json["schema"].dump(), 20);
    throw InputError(name + ": " + what + " of schema " + found +
                     " cannot be read by this rnncheck (it reads schema " +
                     std::to_string(oldest_schema) + " to " + std::to_string(newest) + ")");
}

/// What documents of earlier schemas are whole without.
struct LaterField {
    const char* place;
    int schema;  ///< the first whose documents all have it
};
constexpr LaterField later_fields[] = {{".cudnns[].files", 4},
                                       {".dll_loads", 4},
                                       {".driver.xids", 3},
                                       {".frameworks", 3},
                                       {".host.hidden_directories", 3},
                                       {".host.limits", 4},
                                       {".import_orders", 4},
                                       {".pythons", 3},
                                       {".rnn_dropouts", 3},
                                       {".rnn_fits", 3},
                                       {".tool.restrictions", 3}};

/// ".cudnns[].files" of ".cudnns[1].files".
std::string without_indexes(const std::string& place) {
    std::string plain;
    bool is_index = false;
    for (const char c : place) {
        is_index = is_index && c != ']';
        if (!is_index)
            plain += c;
        is_index = is_index || c == '[';
    }
    return plain;
}

bool is_later(const std::string& place, int schema) {
    const std::string plain = without_indexes(place);
    return std::ranges::any_of(later_fields, [&](const LaterField& field) {
        return field.place == plain && schema < field.schema;
    });
}

/// The shape of what an optional value has when it is there.
const Shape& without_optional(const Shape& shape) {
    if (shape.kind == Shape::Kind::optional)
        return without_optional(shape.item_shape());
    return shape;
}

const Shape::Member* member_of(const Shape& structure, const std::string& name) {
    const auto found = std::ranges::find(structure.members, name, &Shape::Member::name);
    if (found == structure.members.end())
        return nullptr;
    return &*found;
}

/// Fields that every document of the schema has, unless what they describe is lost.
void collect_missing(const Json& json, const Shape& declared, const std::string& place,
                     int document_schema, std::vector<std::string>& missing) {
    const Shape& shape = without_optional(declared);
    if (json.is_array() && shape.kind == Shape::Kind::list) {
        for (std::size_t i = 0; i < json.size(); ++i)
            collect_missing(json[i], shape.item_shape(), place + '[' + std::to_string(i) + ']',
                            document_schema, missing);
    } else if (json.is_object() && shape.kind == Shape::Kind::structure) {
        for (const Shape::Member& member : shape.members) {
            const std::string field = place + '.' + member.name;
            const auto found = json.find(member.name);
            if (found == json.end()) {
                const bool may_lack = member.shape().kind == Shape::Kind::optional ||
                                      is_later(field, document_schema);
                if (!may_lack)
                    missing.push_back(field);
            } else if (std::string_view(member.name) !=
                       "case") {  // which is written without its usual values
                collect_missing(*found, member.shape(), field, document_schema, missing);
            }
        }
    }
}

/// ".pythons, .rnn_runs[0].end and 23 more", without the first points.
std::string first_of(const std::vector<std::string>& places) {
    constexpr std::size_t shown = 3;
    std::vector<std::string> names;
    for (const std::string& place : places)
        if (names.size() < shown)
            names.push_back(place.substr(1));
    std::string more;
    if (places.size() > shown)
        more = " and " + std::to_string(places.size() - shown) + " more";
    return join(names, ", ") + more;
}

/// Fields of `json` that its structure does not have.
void collect_unknown(const Json& json, const Shape& declared, const std::string& place,
                     std::vector<std::string>& unknown) {
    const Shape& shape = without_optional(declared);
    if (json.is_array() && shape.kind == Shape::Kind::list) {
        for (std::size_t i = 0; i < json.size(); ++i)
            collect_unknown(json[i], shape.item_shape(), place + '[' + std::to_string(i) + ']',
                            unknown);
    } else if (json.is_object() && shape.kind == Shape::Kind::structure) {
        for (const auto& [key, item] : json.items()) {
            if (const Shape::Member* member = member_of(shape, key))
                collect_unknown(item, member->shape(), place + '.' + key, unknown);
            else
                unknown.push_back(place + '.' + original_bytes(key));
        }
    }
}

Json parse_bounded(std::string_view text, const std::string& name) {
    if (trim(text).empty())
        throw InputError(name + " is empty" + what_to_give);
    // The parser would take it for the end of the text.
    if (const auto at = text.find('\0'); at != std::string_view::npos)
        not_json(name, at + 1);
    const auto too_deep = [&](int depth, Json::parse_event_t, Json&) {
        if (depth > deepest)
            throw InputError(name + ": nested deeper than any facts document");
        return true;
    };
    try {
        return Json::parse(text, too_deep);
    } catch (const Json::parse_error& error) {
        not_json(name, error.byte);
    } catch (const Json::out_of_range&) {
        throw InputError(
            name + " contains a number that no machine has; give a file written by --save-facts");
    }
}

/// What GPUs on which the same cases ended alike need not have in common: a list has one for each
/// GPU.
struct OwnMember {
    const char *one, *list;
};
constexpr OwnMember own_members[] = {{"gpu", "gpus"},
                                     {"first_ms", "first_ms"},
                                     {"repeat_ms", "repeat_ms"},
                                     {"free_bytes", "free_bytes"}};
constexpr const char* indexes =
    "indexes";  ///< of each GPU's first run in the list of all, as evidence names it
constexpr const char* run_count = "count";  ///< of runs on each GPU

/// Several runs as one object: each member once where it is the same in all, else as a list with
/// one for each run.
Json in_columns(const std::vector<Json>& runs) {
    std::map<std::string, Json> columns;
    for (const Json& run : runs)
        for (const auto& [name, value] : run.items())
            columns.emplace(name, Json::array());
    for (auto& [name, column] : columns) {
        for (const Json& run : runs)
            column.push_back(run.value(name, Json()));
        if (std::ranges::all_of(column,
                                [&first = column[0]](const Json& value) { return value == first; }))
            column = Json(column[0]);
    }
    return columns;
}

/// Six digits: more of an error or a time mean nothing, and make a report long.
void round_measurements(Json& run) {
    for (const char* name : {"largest_error", "limit", "first_ms", "repeat_ms"})
        if (const auto found = run.find(name); found != run.end() && found->is_number_float()) {
            char digits[32];
            std::snprintf(digits, sizeof digits, "%.6g", found->get<double>());
            *found = std::strtod(digits, nullptr);
        }
}

/// Runs that follow each other on one GPU with one interface of one cuDNN installation.
std::vector<std::vector<Json>> by_target(Json runs) {
    std::vector<std::vector<Json>> targets;
    for (Json& run : runs) {
        round_measurements(run);
        const auto differs = [&](const char* name) {
            return targets.back().front()[name] != run[name];
        };
        if (targets.empty() || differs("library") || differs("dialect") || differs("gpu"))
            targets.emplace_back();
        targets.back().push_back(std::move(run));
    }
    return targets;
}

void pack_rnn_runs(Json& facts) {
    const Json usual = to_json(RnnCase());
    Json cases = Json::array(), shared = Json::array();
    std::map<Json, int> case_ids;
    for (Json& run : facts["rnn_runs"]) {
        const auto [at, is_new] =
            case_ids.try_emplace(std::move(run["case"]), static_cast<int>(case_ids.size()) + 1);
        run.erase("case");
        run["case_id"] = at->second;
        if (!is_new)
            continue;
        Json& described = cases.emplace_back(Json{{"case_id", at->second}});
        for (const auto& [name, value] : at->first.items())
            if (value != usual[name])
                described[name] = value;
    }
    std::map<Json, std::size_t> known;
    std::size_t index = 0;
    for (const std::vector<Json>& runs : by_target(std::move(facts["rnn_runs"]))) {
        Json like = in_columns(runs), own = {{indexes, std::exchange(index, index + runs.size())}};
        like[run_count] = runs.size();
        for (const OwnMember& member : own_members) {
            if (like.contains(member.one))
                own[member.list] = like[member.one];
            like.erase(member.one);
        }
        for (const auto& [name, value] : own.items())
            like[name] = Json::array();
        const auto [at, is_new] = known.try_emplace(like, shared.size());
        if (is_new)
            shared.push_back(std::move(like));
        for (const auto& [name, value] : own.items())
            shared[at->second][name].push_back(value);
    }
    facts["rnn_cases"] = std::move(cases);
    facts["rnn_runs"] = std::move(shared);
}

/// Item `i` of a list of so many, which a hostile file may lack.
const Json& item_of(const Json& list, std::size_t i, std::size_t count, const std::string& place,
                    const char* one) {
    if (!list.is_array() || list.size() != count)
        wrong(place, "a list with one item for each " + std::string(one) + " is expected");
    return list[i];
}

/// How many runs on how many GPUs an entry of rnn_runs has.
struct Extent {
    std::size_t gpus, runs;
};

/// Run `i` on GPU `g` of what in_columns() and pack_rnn_runs() made of several.
Json one_run(const Json& like, const Extent& extent, std::size_t g, std::size_t i,
             const std::string& place) {
    Json run = Json::object();
    for (const auto& [name, column] : like.items()) {
        if (name == indexes || name == run_count)
            continue;
        const auto own = std::ranges::find(own_members, name, &OwnMember::list);
        const bool is_own = own != std::end(own_members);
        const Json& of_gpu =
            is_own ? item_of(column, g, extent.gpus, place + '.' + name, "GPU") : column;
        const Json& value =
            of_gpu.is_array() ? item_of(of_gpu, i, extent.runs, place + '.' + name, "run") : of_gpu;
        if (!value.is_null())
            run[is_own ? own->one : name] = value;
    }
    return run;
}

/// The runs of `like`, each at its index. `room` bounds what a hostile file can make of a few
/// bytes.
void add_runs(const Json& like, const std::map<Json, Json>& cases, const std::string& place,
              std::map<Json, Json>& runs, std::size_t& room) {
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
            const auto known_case = cases.find(run.value("case_id", Json()));
            if (known_case == cases.end())
                wrong(place + ".case_id", "no case of rnn_cases has this id");
            run.erase("case_id");
            run["case"] = known_case->second;
            const std::size_t size = run.dump().size();
            if (size > room)
                wrong(place, "more or larger runs than any machine has");
            room -= size;
            if (!runs.emplace(first.get<std::size_t>() + i, std::move(run)).second)
                wrong(place + '.' + indexes, "two runs have the same index");
        }
    }
}

/// The reverse of pack_rnn_runs; the facts of older schemas stay as they are.
void unpack_rnn_runs(Json& facts) {
    if (!facts.contains("rnn_cases"))
        return;
    std::map<Json, Json> cases, runs;
    for (Json rnn_case : facts["rnn_cases"]) {
        if (!rnn_case.is_object())
            wrong("facts.rnn_cases", "a list of cases is expected");
        const Json id = rnn_case.value("case_id", Json());
        rnn_case.erase("case_id");
        cases.emplace(id, std::move(rnn_case));
    }
    facts.erase("rnn_cases");
    std::size_t i = 0, room = std::size_t{64} << 20;
    for (const Json& like : facts.value("rnn_runs", Json::array()))
        add_runs(like, cases, "facts.rnn_runs[" + std::to_string(i++) + ']', runs, room);
    facts["rnn_runs"] = Json::array();
    for (auto& [index, run] : runs)
        facts["rnn_runs"].push_back(std::move(run));
}

}  // namespace

Json facts_to_json(const Facts& facts) {
    Json json = to_json(facts);
    pack_rnn_runs(json);
    return json;
}

Json facts_json_schema() {
    const auto list_of = [](const Json& items) {
        return Json{{"type", "array"}, {"items", items}};
    };
    const auto one_or_list = [&](Json one) {
        const Json about = one.value("description", Json());
        one.erase("description");
        Json nullable = {{"anyOf", Json::array({one, {{"type", "null"}}})}};
        Json either = {{"anyOf", Json::array({nullable, list_of(nullable)})}};
        if (!about.is_null())
            either["description"] = about;
        return either;
    };
    const Json whole = {{"type", "integer"}};
    Json schema = schema_of<Facts>();
    Json& run = schema["properties"]["rnn_runs"]["items"];
    Json& members = run["properties"];
    Json cases = members["case"];
    const Json usual = to_json(RnnCase());
    for (auto& [name, member] : cases["properties"].items())
        member["default"] = usual[name];
    cases["properties"]["case_id"] = whole;
    cases["required"] = {"case_id"};
    members.erase("case");
    members["case_id"] = whole;
    for (auto& [name, member] : members.items())
        member = one_or_list(member);
    for (const OwnMember& own : own_members) {
        const Json of_gpu = members[own.one];
        members.erase(own.one);
        members[own.list] = list_of(of_gpu);
    }
    members[indexes] = list_of(whole);
    members[run_count] = whole;
    members[indexes]["description"] =
        "for each GPU the place of its first run in the list of all: rnn_runs[N] in evidence";
    members[run_count]["description"] =
        "runs on each GPU: so many items has a list, and one value is that of all";
    run["required"] = {"library", "dialect", "number", "end",
                       "case_id", "gpus",    indexes,  run_count};
    schema["properties"]["rnn_cases"] = list_of(cases);
    schema["properties"]["rnn_cases"]["description"] =
        "the cases of rnn_runs, each once; without what is as usual";
    schema["required"].push_back("rnn_cases");
    return schema;
}

Facts facts_from_json(Json json) {
    unpack_rnn_runs(json);
    Facts facts;
    from_json(json, facts, "facts");
    facts.schema = facts_schema;
    for (ProbeRun& run : facts.probe_runs)
        run.probe = current_id(std::move(run.probe));
    return facts;
}

std::string facts_to_text(const Facts& facts, int indent) {
    return facts_to_json(facts).dump(indent);
}

Facts facts_from_text(std::string_view text, const std::string& name,
                      std::vector<std::string>* unknown) {
    Json json = parse_bounded(text, name);
    if (json.is_object() && json.contains("facts")) {
        require_schema(json, report_schema, "a report", name);
        json = Json(json["facts"]);
    }
    if (json.is_object() && json.contains("command") && json["command"].is_string())
        throw InputError(name + " is the result of 'rnncheck " +
                         escaped(json["command"].get<std::string>(), 40) +
                         "' and contains no facts of a machine" + what_to_give);
    if (!json.is_object() || !json.contains("schema"))
        throw InputError(name + " contains no facts" + what_to_give);
    require_schema(json, facts_schema, "facts", name);
    const int schema = json["schema"].get<int>();
    unpack_rnn_runs(json);
    Facts facts = facts_from_json(json);
    std::vector<std::string> missing;
    collect_missing(json, shape_of<Facts>(), "", schema, missing);
    if (!missing.empty() && !facts.tool.missing_fields)
        facts.tool.missing_fields = first_of(missing);
    if (unknown)
        collect_unknown(json, shape_of<Facts>(), "facts", *unknown);
    return facts;
}

}  // namespace rnncheck
