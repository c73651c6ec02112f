#include "commands/deadline.hpp"

#include <stdexcept>

#include "base/errors.hpp"

namespace rnncheck {

std::optional<double> deadline_from(const std::string& text) {
    if (text.empty()) return std::nullopt;
    std::size_t used = 0;
    double seconds = 0;
    try {
        seconds = std::stod(text, &used);
    } catch (const std::logic_error&) {
        used = 0;
    }
    constexpr double a_year = 31'536'000;
    if (used != text.size() || !(seconds > 0) || seconds > a_year)
        throw UsageError("--deadline cannot be '" + text +
                         "'; give seconds above 0 and up to 31536000 (a year), e.g. 10 or 0.5");
    return seconds;
}

}  // namespace rnncheck
