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

/// The command, and what is done beside it.
struct CommandRun {
    /// [0] is looked for on PATH
    std::vector<std::string> arguments;
    /// then it is ended
    std::optional<std::chrono::milliseconds> time_limit;
    /// runs in the command's process, which then becomes the command
    std::function<void()> before_start;
    /// Looks at the process and those below it; returns the time until the next look.
    std::function<std::chrono::milliseconds(pid_t)> look;
};

/// A signal that somebody sent to this process, and that was handed on.
struct SentSignal {
    int signal = 0;
    /// the name of its program; "" where it is unknown, "the kernel" for the terminal
    std::string sender;
};

/// How the command ended, and what it wrote.
struct CommandEnd {
    /// error number; the command was not started
    int error = 0;
    /// neither: unknown
    std::optional<int> exit_code, signal;
    /// the last one
    std::optional<SentSignal> sent;
    /// the time limit
    bool passed_limit = false;
    /// what it did then
    std::optional<Hang> hang;
    /// how long it ran
    double seconds = 0;
    std::chrono::steady_clock::time_point time = {};
    /// standard output and standard error; one if they are the same
    std::vector<Output> outputs;
};

/// Returns when the command has ended and everything that it wrote was passed on.
CommandEnd run_command(const CommandRun& run);

/// Ends this process as the command ended: with its exit code, or by its
/// signal without another core file.
[[noreturn]] void end_as(const CommandEnd& end);

}  // namespace rnncheck::process
