// Runs commands in separate processes with time limits and reports exactly how
// each ended. Must not know what the commands do.
#pragma once

#include <functional>
#include <memory>

#include "process/wire.hpp"

namespace rnncheck::process {

/// The descriptors of the started process for its input and its answer. They
/// are high, so that a library that closes or reuses low ones does not affect
/// them; lower if the limit on descriptors does not allow these.
struct Wire {
    int input = 198;
    int answer = 199;
};

/// What is to be started, and how long it may take.
struct Command {
    /// [0] is the program's path
    std::vector<std::string> arguments;
    /// "NAME=value", on top of ours
    std::vector<std::string> extra_environment;
    std::string input;
    /// longest time without a line of answer, by RunClock
    std::chrono::milliseconds quiet_limit{};
    /// Time limit from the last line to the exit: libraries have exit handlers,
    /// and a large node may deinitialize its GPUs.
    std::chrono::milliseconds exit_grace = std::chrono::seconds(20);
    std::optional<std::chrono::steady_clock::time_point> deadline;
    /// Time after it was killed until the process counts as stuck: the driver may
    /// take long to clean up after it. Two seconds if the deadline has passed.
    std::chrono::milliseconds stuck_after = std::chrono::seconds(20);
};

/// Takes one line of answer, without its end.
using OnLine = std::function<LineMeaning(std::string_view)>;

/// A started process; the destructor ends it.
class Process {
  public:
    virtual ~Process() = default;

    /// Reads and writes without waiting. Returns how the process ended, once
    /// that is known, without probe, target and calls.
    virtual std::optional<ProbeRun> look() = 0;

    /// Half of its quiet_limit has passed without a line.
    virtual bool is_slow() = 0;

    /// Sets its quiet_limit from now on, if the new one is shorter.
    virtual void shorten(std::chrono::milliseconds quiet_limit) = 0;

    /// Its work is finished, but it stays until it is ended (ProbeWriter::stay).
    virtual bool stays() const = 0;
};

/// Starts the command at once; a failure to start is reported as its end.
std::unique_ptr<Process> start(const Command& command, OnLine on_line);

/// Waits until look() may find something new in one of them, 20 ms at most.
void poll_all(const std::vector<const Process*>& processes);

/// Runs the command to its end.
ProbeRun run(const Command& command, OnLine on_line);

/// The descriptors of every process that is started.
const Wire& wire();

/// How many processes can run at the same time within this process's limit on descriptors.
int capacity();

}  // namespace rnncheck::process
