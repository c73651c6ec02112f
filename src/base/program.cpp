// CMake defines the commit for this file alone, so that a new one recompiles nothing else.
#include "base/program.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <ctime>

#include "base/text.hpp"

namespace rnncheck {

std::string_view version_of_rnncheck() {
    return RNNCHECK_VERSION;
}

std::string_view commit_of_rnncheck() {
    return RNNCHECK_COMMIT;
}

/// gmtime_r, because a report of one machine is read in other time zones.
std::string utc_time(std::chrono::system_clock::time_point time) {
    const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
    std::tm parts{};
    ::gmtime_r(&seconds, &parts);
    char text[32];
    return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

namespace log {

/// Set once, from --verbose and --quiet.
static Level chosen = Level::normal;

/// Escaped, because a warning may contain a file name of the examined machine.
static void write(std::string_view text) {
    const std::string line = fmt::format("rnncheck: {}\n", escaped(text));
    std::fputs(line.c_str(), stderr);
}

void set_level(Level level) {
    chosen = level;
}

void warn(std::string_view text) {
    if (chosen != Level::quiet)
        write(text);
}

void detail(std::string_view text) {
    if (chosen == Level::verbose)
        write(text);
}

}  // namespace log

}  // namespace rnncheck
