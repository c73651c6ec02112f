// The option --deadline.
#pragma once

#include <optional>
#include <string>

namespace rnncheck {

/// Seconds; unset for an empty text. UsageError when it is no number above 0 and up to a year.
std::optional<double> deadline_from(const std::string& text);

}  // namespace rnncheck
