// What the kernel shows of a process in /proc, and how long it could have run.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace rnncheck::process {

struct ProcessState {
    char state = '?';  ///< of its main thread: R on a processor or waiting for one, S sleeping, D uninterruptible
    std::string kernel_function;            ///< where it waits in the kernel (wchan); empty in user mode
    std::vector<std::string> kernel_stack;  ///< innermost function first; empty where the reader is not root
    std::chrono::milliseconds processor_time{};
};

/// Nothing where /proc does not show the process.
std::optional<ProcessState> state_of(pid_t process);

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
