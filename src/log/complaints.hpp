// Lines of a small log that complain in ordinary words, where no signature names the error.
#pragma once

#include "facts/log.hpp"
#include "log/normalize.hpp"

namespace rnncheck::log_reader {

/// The signature of such lines, which is in no table: "complaint".
inline constexpr const char* complaint = "complaint";

/// The lines that deny, lack or reject something ("cuda.is_available() returns false") and that
/// none of `events` quotes; at most 16. They are context: words alone are no error.
std::vector<LogEvent> complaints_in(
    const std::vector<RawLine>& lines,
    const std::vector<LogEvent>& events,
    const std::string& file);

}  // namespace rnncheck::log_reader
