#include "facts/facts_json.hpp"

#include "facts/json.hpp"

namespace rnncheck {

namespace {

/// Deeper nesting than any facts document has; stops a hostile file before it exhausts the stack.
constexpr int deepest = 32;

Json parse_bounded(std::string_view text, const std::string& name) {
    const auto too_deep = [&](int depth, Json::parse_event_t, Json&) {
        if (depth > deepest) throw InputError(name + ": nested deeper than any facts document");
        return true;
    };
    try {
        return Json::parse(text, too_deep);
    } catch (const Json::parse_error& error) {
        throw InputError(name + " is not JSON (error at byte " + std::to_string(error.byte) +
                         "); give a file written by --save-facts or a report written with --json");
    } catch (const Json::out_of_range&) {
        throw InputError(name + " holds a number that no machine has; give a file written by --save-facts");
    }
}

}  // namespace

std::string facts_to_text(const Facts& facts, int indent) { return to_json(facts).dump(indent); }

Facts facts_from_text(std::string_view text, const std::string& name) {
    Json json = parse_bounded(text, name);
    if (json.is_object() && json.contains("facts")) json = Json(json["facts"]);
    if (!json.is_object() || !json.contains("schema"))
        throw InputError(name + " holds no facts; give a file written by --save-facts or a report written with --json");
    if (json["schema"] != facts_schema)
        throw InputError(name + ": facts of schema " + escaped(json["schema"].dump(), 20) + " cannot be read by this rnncheck (it reads schema " +
                         std::to_string(facts_schema) + ")");
    Facts facts;
    from_json(json, facts, "facts");
    return facts;
}

}  // namespace rnncheck
