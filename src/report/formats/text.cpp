// The text form as a format like the others.
#include "report/outline.hpp"

namespace rnncheck::formats::text {

static std::string write(const Outline& outline, const Style& style) {
    return outline.text(style);
}

extern const Format format{.title = "A report for people", .write = write};

}  // namespace rnncheck::formats::text
