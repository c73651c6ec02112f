// Runs a command as if it had been typed, and returns how it ended and what it wrote.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "facts/common.hpp"
#include "process/run/kept_output.hpp"

namespace rnncheck::process {

struct CommandRun {
    std::vector<std::string> arguments;                   ///< [0] is looked for on PATH
    std::optional<std::chrono::milliseconds> time_limit;  ///< then it is ended
    std::function<void()>
        before_start;  ///< runs in the command's process, which then becomes the command
    /// Looks at the process and those below it; returns the time until the next look.
    std::function<std::chrono::milliseconds(pid_t)> look;
};

/// A signal that somebody sent to this process, and that was handed on.
struct SentSignal {
    int signal = 0;
    std::string
        sender;  ///< the name of its program; "" where it is unknown, "the kernel" for the terminal
};

struct CommandEnd {
    int error = 0;                         ///< error number; the command was not started
    std::optional<int> exit_code, signal;  ///< neither: unknown
    std::optional<SentSignal> sent;        ///< the last one
    bool passed_limit = false;             ///< the time limit
    std::optional<Hang> hang;              ///< what it did then
    double seconds = 0;                    ///< how long it ran
    std::chrono::steady_clock::time_point time = {};
    std::vector<Output> outputs;  ///< standard output and standard error; one if they are the same
};

/// Returns when the command has ended and everything that it wrote was passed on.
CommandEnd run_command(const CommandRun& run);

/// Ends this process as the command ended: with its exit code, or by its signal without another
/// core file.
[[noreturn]] void end_as(const CommandEnd& end);

}  // namespace rnncheck::process
