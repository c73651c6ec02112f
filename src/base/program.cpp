#include "base/program.hpp"

#include <ctime>

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

}  // namespace rnncheck
