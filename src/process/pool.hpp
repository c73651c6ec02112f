// Runs commands in processes of their own, each with limits, and says exactly how each ended. The only user of
// <spawn.h> and <sys/wait.h>. May not know what the commands do.
#pragma once

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

class Pool {
  public:
    Pool();
    ~Pool();  ///< ends what still runs
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    /// Starts the command at once; a failure shows as a result.
    int start(const Command& command, OnLine on_line);

    std::size_t running() const;

    /// It has said nothing for so long that half of its limit has passed.
    bool is_slow(int id) const;

    /// Its quiet_limit from now on, where that is shorter than it is.
    void shorten(int id, std::chrono::milliseconds quiet_limit);

    /// The same for every process of this pool.
    const Wire& wire() const { return wire_; }

    /// How many can run at the same time within this process's limit on descriptors; at least one.
    std::size_t capacity() const;

    struct Ended {
        int id;
        ProbeRun run;  ///< without probe, target and calls
    };
    /// Waits until one has ended, feeding lines to their takers meanwhile; `idle` is called at least every 20 ms.
    Ended wait(const std::function<void()>& idle);

  private:
    struct Child;
    std::vector<std::unique_ptr<Child>> children_, staying_;
    int next_id_ = 0;
    int most_descriptors_ = 0;
    Wire wire_;
};

/// "SIGSEGV".
std::string signal_name(int signal);

}  // namespace rnncheck::process
