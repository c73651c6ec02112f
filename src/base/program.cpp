#include "base/program.hpp"

#include <iostream>

#include <ctime>

#include "base/text.hpp"

namespace rnncheck {

std::string_view version_of_rnncheck() {
    return RNNCHECK_VERSION;
}

std::string_view commit_of_rnncheck() {
    return RNNCHECK_COMMIT;
}

std::string utc_time(std::chrono::system_clock::time_point time) {
    const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
    std::tm parts{};
    ::gmtime_r(&seconds, &parts);
    char text[32];
    return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

namespace log {

namespace {

Level chosen = Level::normal;

/// In one piece: another process may write there as well.
void print(std::string_view text) {
    std::cerr << "rnncheck: " + escaped(text) + "\n";
}

}  // namespace

void set_level(Level level) {
    chosen = level;
}

void warn(std::string_view text) {
    if (chosen != Level::quiet) print(text);
}

void detail(std::string_view text) {
    if (chosen == Level::verbose) print(text);
}

}  // namespace log

}  // namespace rnncheck
