// The moment at which a survey must have ended, for every process that it starts.
#include "process/survey.hpp"
#include "process/this_process.hpp"

namespace rnncheck {

using Clock = std::chrono::steady_clock;

static Deadline deadline_since(Clock::time_point begin, const std::optional<double>& seconds) {
    if (!seconds)
        return std::nullopt;
    return begin +
           std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(*seconds));
}

Deadline deadline_after(const std::optional<double>& seconds) {
    return deadline_since(process::start_of_program(), seconds);
}

Deadline deadline_from_now(const std::optional<double>& seconds) {
    return deadline_since(Clock::now(), seconds);
}

bool is_over(const Deadline& deadline) {
    return deadline && Clock::now() >= *deadline;
}

}  // namespace rnncheck
