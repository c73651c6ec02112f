#include "base/program.hpp"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

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

static Level chosen = Level::normal;

/// Made on first use: a run that has nothing to say does not pay for the logger.
static spdlog::logger& logger() {
    static spdlog::logger stderr_logger = [] {
        spdlog::logger made("rnncheck", std::make_shared<spdlog::sinks::stderr_sink_st>());
        made.set_pattern("rnncheck: %v");
        made.set_level(spdlog::level::debug);
        return made;
    }();
    return stderr_logger;
}

void set_level(Level level) {
    chosen = level;
}

void warn(std::string_view text) {
    if (chosen != Level::quiet)
        logger().warn("{}", escaped(text));
}

void detail(std::string_view text) {
    if (chosen == Level::verbose)
        logger().debug("{}", escaped(text));
}

}  // namespace log

}  // namespace rnncheck
