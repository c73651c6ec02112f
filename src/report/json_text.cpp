#include "report/json_text.hpp"

#include "facts/json.hpp"

namespace rnncheck {

namespace {

std::string as_text(const Json& json) {
    return json.dump(2, ' ', true) + '\n';
}

template <class Document>
Json document_schema(std::string_view title) {
    Json schema = schema_of<Document>();
    schema["title"] = std::string(title);
    schema["properties"]["schema"]["const"] = 1;
    return schema;
}

}  // namespace

std::string json_text(const Report& report) {
    return as_text(to_json(report));
}
std::string json_text(const FailureDocument& document) {
    return as_text(to_json(document));
}
std::string json_text(const ListDocument& document) {
    return as_text(to_json(document));
}

std::string json_text(const TablesDocument& document) {
    return as_text(to_json(document));
}
std::string json_text(const TableDocument& document) {
    return as_text(to_json(document));
}
std::string json_text(const VerifyDocument& document) {
    return as_text(to_json(document));
}

std::string json_text(const PlanDocument& document) {
    return as_text(to_json(document));
}
std::string json_text(const NeedsDocument& document) {
    return as_text(to_json(document));
}

std::string schema_text() {
    Json report = document_schema<Report>("report");
    report["properties"]["facts"]["properties"]["schema"]["const"] = facts_schema;
    return as_text(
        {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
         {"title", "What rnncheck prints as JSON"},
         {"oneOf",
          Json::array({report, document_schema<FailureDocument>("failure: there is no report"),
                       document_schema<ListDocument>("list"), document_schema<TablesDocument>("matrix show"),
                       document_schema<TableDocument>("matrix show TABLE"),
                       document_schema<VerifyDocument>("matrix verify"), document_schema<PlanDocument>("matrix plan"),
                       document_schema<NeedsDocument>("matrix plan --for")})}});
}

}  // namespace rnncheck
