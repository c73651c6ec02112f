// The document itself as JSON, for scripts; its schema is schema_text().
#include "report/outline.hpp"

namespace rnncheck::formats::json {

static std::string write(const Outline& outline, const Style& style) {
    return outline.json(style);
}

extern const Format format{.title = "The whole report as one JSON document", .write = write};

}  // namespace rnncheck::formats::json
