// Runs commands in separate processes with time limits and reports exactly how each ended. The only user of <spawn.h>
// and <sys/wait.h>. Must not know what the commands do.
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <functional>
#include <memory>

#include "process/wire.hpp"

namespace rnncheck::process {

/// The descriptors of the started process for its input and its answer. They are high, so that a library that closes or
/// reuses low ones does not affect them; lower if the limit on descriptors does not allow these.
struct Wire {
    int input = 198;
    int answer = 199;
};

struct Command {
    std::vector<std::string> arguments;          ///< [0] is the program's path
    std::vector<std::string> extra_environment;  ///< "NAME=value", on top of ours
    std::string input;
    std::chrono::milliseconds quiet_limit{};  ///< longest time without a line of answer, by RunClock
    /// Time limit from the last line to the exit: libraries have exit handlers, and a large node may deinitialize its
    /// GPUs.
    std::chrono::milliseconds exit_grace = std::chrono::seconds(20);
    std::optional<std::chrono::steady_clock::time_point> deadline;
    /// Time after SIGKILL until the process counts as stuck: the driver may take long to clean up after it. Two
    /// seconds if the deadline has passed.
    std::chrono::milliseconds stuck_after = std::chrono::seconds(20);
};

/// Takes one line of answer, without its end.
using OnLine = std::function<LineMeaning(std::string_view)>;

/// A started process; the destructor ends it.
class Process {
  public:
    virtual ~Process() = default;

    /// Reads and writes without waiting. Returns how the process ended, once that is known, without probe, target and
    /// calls.
    virtual std::optional<ProbeRun> look() = 0;

    /// Half of its quiet_limit has passed without a line.
    virtual bool is_slow() = 0;

    /// Sets its quiet_limit from now on, if the new one is shorter.
    virtual void shorten(std::chrono::milliseconds quiet_limit) = 0;

    /// Its work is finished, but it stays until it is ended (ProbeWriter::stay).
    virtual bool stays() const = 0;

    /// Adds the descriptors to wait for. Returns the longest time to wait, in milliseconds.
    virtual int add_to_poll(std::vector<pollfd>& polls) const = 0;
};

/// Starts the command at once; a failure to start is reported as its end.
std::unique_ptr<Process> start(const Command& command, OnLine on_line);

/// Waits until look() may find something new in one of them, 20 ms at most.
void wait_for_news(const std::vector<const Process*>& processes);

/// Runs the command to its end.
ProbeRun run(const Command& command, OnLine on_line);

/// The descriptors of every process that is started.
const Wire& wire();

/// A process of start() that has not been waited for: only its own look() may do that.
bool is_awaited(pid_t process);

/// How many processes can run at the same time within this process's limit on descriptors.
int capacity();

/// "SIGSEGV".
std::string signal_name(int signal);

// What /proc shows about a process, and how long the process could have run.

/// Nothing where /proc does not show the process.
std::optional<Hang> what_it_does(pid_t process);

/// The file or directory whose file system a process waits for in a system call, e.g. /home/ada/.conda; nothing if it
/// waits for something else, or the kernel does not show it.
std::optional<std::string> awaited_file(pid_t process);

/// It waits in poll(2), as for a pipe into which somebody may still write.
bool waits_for_stream(pid_t process);

/// Another text whenever a process, or one of its threads, has been on a processor; empty where /proc does not show it.
std::string movement_of(pid_t process);

/// When a process began, in clock ticks since the machine was started (starttime of proc_pid_stat(5)).
std::optional<long long> ticks_at_start(pid_t process);

/// It has called exit, or was killed: the kernel is giving back its memory and files, which may take long.
bool is_exiting(pid_t process);

/// Time in which a process could run. The time in which it waits for a processor that others use does not count: on a
/// machine with 160 processes for 2 processors ten seconds may pass without it. Where /proc does not show it, all time
/// counts.
class RunClock {
  public:
    using milliseconds = std::chrono::milliseconds;

    explicit RunClock(pid_t process) : process_(process) {}
    void restart();
    milliseconds elapsed();

    /// What /proc shows at one moment.
    struct Look {
        milliseconds processor_time;
        std::optional<milliseconds> waited;  ///< for a processor, before its turns so far
        bool is_running;                     ///< or waits for a processor just now
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
