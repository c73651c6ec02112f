// A started process as the operating system shows it: the part of child.hpp
// that every system does in its own way.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "process/child.hpp"

namespace rnncheck::process {

/// Until it is forgotten, this object alone may wait for the process.
class Spawned {
  public:
    /// Starts the command, with the ends of wire() for its input and its answer.
    explicit Spawned(const Command& command);
    /// Ends it, with the processes that it started.
    ~Spawned();

    /// Why it could not be started.
    const std::optional<std::string>& failure() const;

    /// It was started, and forget() was not called.
    bool is_known() const;

    /// From now on it is neither looked at nor ended.
    void forget();

    // None of these waits for the process.

    /// More of the command's input.
    void write_input();
    /// What it has returned since the last call.
    std::string new_messages();
    /// False once it has closed its end.
    bool messages_are_open() const;
    /// What it has written to its standard output and error since the last call.
    std::string new_output();

    /// Its number is still its own.
    bool has_exited();
    /// It has begun to exit, which may take long.
    bool is_exiting() const;
    std::optional<Hang> inspect() const;

    /// With the processes that it started.
    void kill();

    struct End {
        /// where it exited by itself
        std::optional<int> exit_code;
        /// by which it crashed or was killed: "SIGSEGV"
        std::optional<std::string> signal;
        /// from outside, not by an error of its own
        bool was_killed = false;
        std::optional<std::int64_t> peak_memory_mib;
    };

    /// To be called once, after has_exited().
    End end();

    /// The time in which it could run since the last restart (RunClock).
    std::chrono::milliseconds time_run();
    void restart_clock();

    /// A process for whose news somebody waits; by its lines or, where they
    /// come too fast, by the clock alone.
    struct Awaited {
        const Spawned* process;
        bool by_lines;
    };

    /// Until one of them has news, at most so long.
    static void wait(const std::vector<Awaited>& awaited, std::chrono::milliseconds longest);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace rnncheck::process
