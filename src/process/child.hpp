// Runs commands in processes of their own, each with limits, and says exactly how each ended. The only user of
// <spawn.h> and <sys/wait.h>. May not know what the commands do.
#pragma once

#include <poll.h>

#include <functional>
#include <memory>

#include "process/wire.hpp"

namespace rnncheck::process {

/// Descriptors in the started process: what it is given comes in on one, what it says leaves on the other. High, so
/// that a library that closes or reuses the usual ones does not meet them; lower under a limit that forbids these.
struct Wire {
    int input = 198;
    int answer = 199;
};

struct Command {
    std::vector<std::string> arguments;          ///< [0] is the program's path
    std::vector<std::string> extra_environment;  ///< "NAME=value", on top of ours
    std::string input;
    std::chrono::milliseconds quiet_limit{};  ///< longest time without a line of answer, by RunClock
    /// From the last word to the exit: exit handlers of libraries, and a large node may put its GPUs to rest.
    std::chrono::milliseconds exit_grace = std::chrono::seconds(20);
    std::optional<std::chrono::steady_clock::time_point> deadline;
    /// From our SIGKILL to the belief that it will not die of it: the driver may take long to clean up after it. Three
    /// seconds where the deadline has passed.
    std::chrono::milliseconds stuck_after = std::chrono::seconds(20);
};

/// Takes one line of answer, without its end.
using OnLine = std::function<LineMeaning(std::string_view)>;

/// A started process; the end of its life ends the process, too.
class Process {
  public:
    virtual ~Process() = default;

    /// Reads and writes what can be without waiting. How it ended, once that is known: without probe, target and calls.
    virtual std::optional<ProbeRun> look() = 0;

    /// It has said nothing for so long that half of its limit has passed.
    virtual bool is_slow() = 0;

    /// Its quiet_limit from now on, where that is shorter than it is.
    virtual void shorten(std::chrono::milliseconds quiet_limit) = 0;

    /// It has ended as far as its work goes, and lives on.
    virtual bool stays() const = 0;

    /// Adds the descriptors to wait for. For how many milliseconds, at most.
    virtual int add_to_poll(std::vector<pollfd>& polls) const = 0;
};

/// At once; a failure shows as its end.
std::unique_ptr<Process> start(const Command& command, OnLine on_line);

/// Waits until there may be news of one of them, 20 ms at most.
void wait_for_news(const std::vector<const Process*>& processes);

/// Runs the command to its end.
ProbeRun run(const Command& command, OnLine on_line);

/// The same for every process that is started.
const Wire& wire();

/// How many processes there can be at the same time within this process's limit on descriptors.
int capacity();

/// "SIGSEGV".
std::string signal_name(int signal);

}  // namespace rnncheck::process
