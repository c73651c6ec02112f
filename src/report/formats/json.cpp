#include <ostream>

#include "report/format.hpp"
#include "report/json_text.hpp"

namespace rnncheck::formats {

static void write(const Report& report, std::ostream& out, const Style&) {
    out << json_text(report);
}

extern const Format json{.title = "The whole report as one JSON document", .write = write};

}  // namespace rnncheck::formats
