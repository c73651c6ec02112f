#include <ostream>

#include "report/documents.hpp"
#include "report/format.hpp"

namespace rnncheck::formats::json {

static void write(const Report& report, std::ostream& out, const Style& style) {
    out << json_text(report, json_lines(style));
}

extern const Format format{.title = "The whole report as one JSON document", .write = write};

}  // namespace rnncheck::formats::json
