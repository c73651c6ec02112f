// Processes as POSIX and Linux know them, by number and signal: what /proc
// shows about one, how long it could have run.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>

#include "facts/common.hpp"

namespace rnncheck::process {

/// A process of start() that has not been waited for: only its own look() may do that.
bool is_awaited(pid_t process);

/// "SIGSEGV".
std::string signal_name(int signal);

/// Nothing where /proc does not show the process.
std::optional<Hang> inspect(pid_t process);

/// The file or directory whose file system a process waits for in a system
/// call, e.g. /home/ada/.conda; nothing if it waits for something else, or
/// the kernel does not show it.
std::optional<std::string> awaited_file(pid_t process);

/// It waits in poll(2), as for a pipe into which somebody may still write.
bool waits_for_stream(pid_t process);

/// Another text whenever a process, or one of its threads, has been on a
/// processor; empty where /proc does not show it.
std::string movement_of(pid_t process);

/// When a process began, in clock ticks since the machine was started
/// (starttime of proc_pid_stat(5)).
std::optional<long long> ticks_at_start(pid_t process);

/// It has called exit, or was killed: the kernel is giving back its memory
/// and files, which may take long.
bool is_exiting(pid_t process);

/// Time in which a process could run. The time in which it waits for a processor
/// that others use does not count: on a machine with 160 processes for 2 processors
/// ten seconds may pass without it. Where /proc does not show it, all time counts.
class RunClock {
  public:
    using milliseconds = std::chrono::milliseconds;

    explicit RunClock(pid_t process) : process_(process) {
    }
    void restart();
    milliseconds elapsed();

    /// What /proc shows at one moment.
    struct Look {
        milliseconds processor_time;
        /// for a processor, before its turns so far
        std::optional<milliseconds> waited;
        /// or waits for a processor just now
        bool is_running;
    };

    /// How much of what passed between two looks counts; for looks in their order.
    milliseconds could_run(milliseconds passed, const Look& before, const Look& now);

  private:
    using Clock = std::chrono::steady_clock;

    pid_t process_;
    Clock::time_point looked_ = Clock::now();
    std::optional<Look> last_;
    milliseconds counted_{};
    milliseconds left_out_{};  ///< waits that were not counted before their end
};

}  // namespace rnncheck::process
