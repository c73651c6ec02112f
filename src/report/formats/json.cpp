// PLACEHOLDER
#include <ostream>

#include "facts/json.hpp"
#include "report/format.hpp"

namespace rnncheck::formats {

static void write(const Report& report, std::ostream& out, const Style&) { out << to_json(report).dump(2) << '\n'; }

extern const Format json{.title = "The whole report as one JSON document", .write = write};

}  // namespace rnncheck::formats
