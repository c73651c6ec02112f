#include "facts/facts_json.hpp"

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

void require_schema(const Json& json, int known, const std::string& what, const std::string& name) {
    if (json.contains("schema") && json["schema"] == known) return;
    const std::string found = json.contains("schema") ? escaped(json["schema"].dump(), 20) : "unknown";
    throw InputError(name + ": " + what + " of schema " + found + " cannot be read by this rnncheck (it reads schema " +
                     std::to_string(known) + ")");
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

}  // namespace

std::string facts_to_text(const Facts& facts, int indent) {
    return to_json(facts).dump(indent);
}

Facts facts_from_text(std::string_view text, const std::string& name, std::vector<std::string>* unknown) {
    Json json = parse_bounded(text, name);
    if (json.is_object() && json.contains("facts")) {
        require_schema(json, report_schema, "a report", name);
        json = Json(json["facts"]);
    }
    if (!json.is_object() || !json.contains("schema")) throw InputError(name + " holds no facts" + what_to_give);
    require_schema(json, facts_schema, "facts", name);
    Facts facts;
    from_json(json, facts, "facts");
    if (unknown) collect_unknown(json, schema_of<Facts>(), "facts", *unknown);
    return facts;
}

}  // namespace rnncheck
