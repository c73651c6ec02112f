#include "base/json.hpp"
#include "report/documents.hpp"

namespace rnncheck {

namespace {

template <class T>
Json document_schema(std::string_view title) {
    Json schema = schema_of<T>();
    schema["title"] = std::string(title);
    schema["properties"]["schema"]["const"] = T{}.schema;
    return schema;
}

/// What is null in the answers of `which` where there is nothing to tell.
constexpr const char* nullable[] = {"needed_by", "path", "rule"};

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
    Json json = to_json(report, valid_utf8);
    json["facts"] = to_json(report.facts, reversible_utf8);
    return json;
}

/// Paths are there to be used, so every byte can be had back.
Json as_json(const WhichDocument& document) {
    Json json = to_json(document, reversible_utf8);
    for (Json& choice : json["libraries"])
        for (const char* name : nullable) choice.emplace(name, nullptr);
    return json;
}

std::string as_text(const Json& json) {
    return json.dump(2, ' ', true) + '\n';
}

}  // namespace

template <class T>
std::string json_text(const T& document) {
    return as_text(as_json(document));
}

template std::string json_text(const Report&);
template std::string json_text(const FailureDocument&);
template std::string json_text(const ListDocument&);
template std::string json_text(const TablesDocument&);
template std::string json_text(const TableDocument&);
template std::string json_text(const VerifyDocument&);
template std::string json_text(const PlanDocument&);
template std::string json_text(const NeedsDocument&);
template std::string json_text(const WhichDocument&);
template std::string json_text(const SelftestDocument&);
template std::string json_text(const ModelDocument&);
template std::string json_text(const DiffDocument&);

std::string schema_text() {
    Json report = document_schema<Report>("report");
    const Json facts = document_schema<Facts>("facts, as --save-facts writes them");
    report["properties"]["facts"]["properties"]["schema"]["const"] = facts_schema;
    return as_text(
        {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
         {"title", "What rnncheck writes as JSON"},
         {"oneOf",
          Json::array({report, facts, document_schema<FailureDocument>("failure: there is no report"),
                       document_schema<ListDocument>("list"), document_schema<TablesDocument>("matrix show"),
                       document_schema<TableDocument>("matrix show TABLE"),
                       document_schema<VerifyDocument>("matrix verify"), document_schema<PlanDocument>("matrix plan"),
                       document_schema<NeedsDocument>("matrix plan --for"), which_schema(),
                       document_schema<SelftestDocument>("selftest"), document_schema<ModelDocument>("model"),
                       document_schema<DiffDocument>("diff")})}});
}

}  // namespace rnncheck
