// Facts are read from files of any origin: depth, schema and the form of every
// value are checked before a rule sees one.
#include "base/json.hpp"
#include "base/program.hpp"
#include "facts/facts.hpp"
#include "facts/old_ids.hpp"
#include "facts/older_schemas.hpp"
#include "facts/run_documents.hpp"

namespace rnncheck {

template const Shape& shape_of<Facts>();

namespace {

/// Deeper nesting than any facts document has; stops a hostile file
/// before it exhausts the stack.
constexpr int deepest = 32;

constexpr const char* what_to_give =
    "; give a file written by --save-facts or a report written with --json";

[[noreturn]] void not_json(const std::string& name, std::size_t byte) {
    throw InputError(
        name + " is not JSON (error at byte " + std::to_string(byte) + ")" + what_to_give);
}

/// A report and the facts in it have schemas of their own, each with its newest number.
void require_schema(
    const Json& json, int newest, const std::string& what, const std::string& name) {
    const Json schema = json.value("schema", Json());
    if (schema.is_number_integer() && schema >= oldest_schema && schema <= newest)
        return;
    std::string found = "unknown";
    if (json.contains("schema"))
        found = escaped(json["schema"].dump(), 20);
    throw InputError(
        name + ": " + what + " of schema " + found +
        " cannot be read by this rnncheck (it reads schema " + std::to_string(oldest_schema) +
        " to " + std::to_string(newest) + ")");
}

/// What documents of earlier schemas are whole without.
struct LaterField {
    const char* place;
    int schema;  ///< the first whose documents all have it
};
constexpr LaterField later_fields[] = {
    {".cudnns[].files", 4},
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

/// Whether a document of this schema may lack the field without having lost it.
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
void collect_missing(
    const Json& json,
    const Shape& declared,
    const std::string& place,
    int document_schema,
    std::vector<std::string>& missing) {
    const Shape& shape = without_optional(declared);
    if (json.is_array() && shape.kind == Shape::Kind::list) {
        for (std::size_t i = 0; i < json.size(); ++i)
            collect_missing(
                json[i],
                shape.item_shape(),
                place + '[' + std::to_string(i) + ']',
                document_schema,
                missing);
    } else if (json.is_object() && shape.kind == Shape::Kind::structure) {
        for (const Shape::Member& member : shape.members) {
            const std::string field = place + '.' + member.name;
            const auto found = json.find(member.name);
            if (found == json.end()) {
                const bool may_lack = member.shape().kind == Shape::Kind::optional ||
                                      is_later(field, document_schema);
                if (!may_lack)
                    missing.push_back(field);
            } else if (std::string_view(member.name) != "case") {
                // which is written without its usual values
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
void collect_unknown(
    const Json& json,
    const Shape& declared,
    const std::string& place,
    std::vector<std::string>& unknown) {
    const Shape& shape = without_optional(declared);
    if (json.is_array() && shape.kind == Shape::Kind::list) {
        for (std::size_t i = 0; i < json.size(); ++i)
            collect_unknown(
                json[i], shape.item_shape(), place + '[' + std::to_string(i) + ']', unknown);
    } else if (json.is_object() && shape.kind == Shape::Kind::structure) {
        for (const auto& [key, item] : json.items()) {
            if (const Shape::Member* member = member_of(shape, key))
                collect_unknown(item, member->shape(), place + '.' + key, unknown);
            else
                unknown.push_back(place + '.' + original_bytes(key));
        }
    }
}

/// Bounded in depth alone: the caller has bounded the size of the text.
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
            name + " contains a number that is out of range; give a file written by --save-facts");
    }
}

}  // namespace

Json facts_to_json(const Facts& facts) {
    Json json = to_json(facts);
    describe_cases_once(json);
    return json;
}

/// Written by hand where the document differs from the structures: cases are
/// listed once, with their usual values left out.
Json facts_json_schema() {
    const Json whole = {{"type", "integer"}};
    Json schema = schema_of<Facts>();
    Json& run = schema["properties"]["rnn_runs"]["items"];
    Json cases = run["properties"]["case"];
    const Json usual = to_json(RnnCase());
    for (auto& [name, member] : cases["properties"].items())
        member["default"] = usual[name];
    cases["properties"]["case_id"] = whole;
    cases["required"] = {"case_id"};
    run["properties"].erase("case");
    run["properties"]["case_id"] = whole;
    run["properties"]["case_id"]["description"] = "the case of rnn_cases with this id";
    run["required"] = {"library", "rnn_api", "gpu", "number", "case_id", "end"};
    schema["properties"]["rnn_cases"] = {{"type", "array"}, {"items", cases}};
    schema["properties"]["rnn_cases"]["description"] =
        "the cases of rnn_runs, each once; without what is as usual";
    schema["required"].push_back("rnn_cases");
    return schema;
}

/// Of today's schema already, as a probe sends them to the survey.
Facts facts_from_json(Json json) {
    put_cases_into_runs(json);
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

/// A file that lacks fields of its own schema was cut or edited: the report
/// then names the first of them.
Facts facts_from_text(
    std::string_view text, const std::string& name, std::vector<std::string>* unknown) {
    Json json = parse_bounded(text, name);
    if (json.is_object() && json.contains("facts")) {
        require_schema(json, report_schema, "a report", name);
        json = Json(json["facts"]);
    }
    if (json.is_object() && json.contains("command") && json["command"].is_string())
        throw InputError(
            name + " is the result of 'rnncheck " +
            escaped(json["command"].get<std::string>(), 40) +
            "' and contains no facts of a machine" + what_to_give);
    if (!json.is_object() || !json.contains("schema"))
        throw InputError(name + " contains no facts" + what_to_give);
    require_schema(json, facts_schema, "facts", name);
    const int schema = json["schema"].get<int>();
    upgrade_facts(json);
    put_cases_into_runs(json);
    Facts facts = facts_from_json(json);
    std::vector<std::string> missing;
    collect_missing(json, shape_of<Facts>(), "", schema, missing);
    if (!missing.empty() && !facts.tool.missing_fields)
        facts.tool.missing_fields = first_of(missing);
    if (unknown)
        collect_unknown(json, shape_of<Facts>(), "facts", *unknown);
    return facts;
}

Json report_in_current_schema(const std::string& text) {
    const std::string name = "it";
    Json facts = facts_to_json(facts_from_text(text, name));
    Json report = parse_bounded(text, name);
    if (!report.contains("facts"))
        return facts;
    report["schema"] = report_schema;
    report["facts"] = std::move(facts);
    return report;
}

}  // namespace rnncheck
