#include "base/json.hpp"
#include "facts/facts.hpp"
#include "report/documents.hpp"

namespace rnncheck {

#define INSTANTIATE(T) template const Shape& shape_of<T>();
RNNCHECK_DOCUMENTS(INSTANTIATE)
#undef INSTANTIATE

namespace {

/// The schema of one document, with its own version number as a constant.
template <class T>
Json document_schema(std::string_view title) {
    Json schema = schema_of<T>();
    schema["title"] = std::string(title);
    schema["properties"]["schema"]["const"] = T{}.schema;
    return schema;
}

/// What is null in the answers of `which` where there is nothing to show.
constexpr const char* nullable[] = {"needed_by", "path", "rule"};

/// These members are always there, with null for "nothing to show", so that a
/// script need not distinguish a missing member from an empty one.
Json which_schema() {
    Json schema = document_schema<WhichDocument>("which");
    Json& choice = schema["properties"]["libraries"]["items"];
    for (const char* name : nullable) {
        Json& property = choice["properties"][name];
        const Json about = property["description"];
        property.erase("description");
        property = {{"anyOf", Json::array({property, {{"type", "null"}}})}, {"description", about}};
        choice["required"].push_back(name);
    }
    return schema;
}

template <class T>
Json as_json(const T& document) {
    return to_json(document, valid_utf8);
}

/// The facts are to be read again, byte for byte; the rest is for people.
Json as_json(const Report& report) {
    Report rest = report;
    rest.facts = {};  // most of the time goes into them
    Json json = to_json(rest, valid_utf8);
    json["facts"] = facts_to_json(report.facts);
    return json;
}

/// Paths are there to be used, so every byte can be had back.
Json as_json(const WhichDocument& document) {
    Json json = to_json(document, reversible_utf8);
    for (Json& choice : json["libraries"])
        for (const char* name : nullable)
            choice.emplace(name, nullptr);
    return json;
}

/// In ASCII: everything else becomes \u escapes.
std::string as_text(const Json& json, JsonLines layout) {
    std::string text = json.dump(layout == JsonLines::one ? -1 : 2, ' ', true) + '\n';
    replace_all(
        text,
        "##[",
        "#\\u0023[");  // the same text, which GitHub's runner does not take for a command
    return text;
}

}  // namespace

template <class T>
std::string json_text(const T& document, JsonLines layout) {
    return as_text(as_json(document), layout);
}

#define INSTANTIATE(T) template std::string json_text(const T&, JsonLines);
RNNCHECK_DOCUMENTS(INSTANTIATE)
INSTANTIATE(FailureDocument)
INSTANTIATE(VersionDocument)
#undef INSTANTIATE

/// All documents in one schema, so that a script needs no table of commands.
std::string schema_text() {
    Json report = document_schema<Report>("report");
    Json facts = facts_json_schema();
    facts["properties"]["schema"]["const"] = facts_schema;
    report["properties"]["facts"] = facts;
    facts["title"] = "facts, as --save-facts writes them";
    return as_text(
        {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
         {"title", "What rnncheck writes as JSON"},
         {"oneOf",
          Json::array(
              {report,
               facts,
               document_schema<FailureDocument>("failure: there is no report"),
               document_schema<VersionDocument>("--version"),
               document_schema<ListDocument>("list"),
               document_schema<TablesDocument>("matrix show"),
               document_schema<TableDocument>("matrix show TABLE"),
               document_schema<VerifyDocument>("matrix verify"),
               document_schema<PlanDocument>("matrix plan"),
               document_schema<NeedsDocument>("matrix plan --for"),
               which_schema(),
               document_schema<SelftestDocument>("selftest"),
               document_schema<Diff>("diff"),
               document_schema<Fleet>("fleet merge and fleet show"),
               document_schema<FleetDiff>("fleet diff"),
               document_schema<ModelDocument>("model")})}},
        JsonLines::indented);
}

}  // namespace rnncheck
