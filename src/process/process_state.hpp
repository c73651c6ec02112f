// What /proc shows about a process, and how long the process could have run.
#pragma once

#include <sys/types.h>

#include <chrono>

#include "facts/common.hpp"

namespace rnncheck::process {

/// Nothing where /proc does not show the process.
std::optional<Hang> what_it_does(pid_t process);

/// Time in which a process could run. While it waits for a processor that others use, only the processor time that it
/// gets counts: on a machine with 160 processes for 2 processors ten seconds may pass without it. Where /proc does not
/// show it, all time counts.
class RunClock {
  public:
    explicit RunClock(pid_t process) : process_(process) {}
    void restart();
    std::chrono::milliseconds elapsed();

  private:
    using Clock = std::chrono::steady_clock;

    pid_t process_;
    Clock::time_point looked_ = Clock::now();
    std::optional<std::chrono::milliseconds> processor_time_;  ///< when it was last looked at
    std::chrono::milliseconds counted_{};
};

}  // namespace rnncheck::process
