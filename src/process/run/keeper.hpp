// The process that starts a command and waits for it.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "process/run/streams.hpp"

namespace rnncheck::process {

/// What the keeper starts, and in which state.
struct CommandToStart {
    std::vector<std::string> arguments;
    sigset_t signal_mask;                ///< that it gets
    std::function<void()> before_start;  ///< runs in its process
};

/// What happened to the command.
struct News {
    enum Kind { none, not_started, started, stopped, exited, killed, lost } kind = none;
    /// error number, process number, signal, exit code, signal
    int number = 0;
};

/// The keeper's process, as its parent sees it.
class Keeper {
  public:
    /// All signals must be blocked.
    Keeper(const CommandToStart& command, const Streams& streams);

    /// Becomes readable when there is news.
    int descriptor() const {
        return news_.number();
    }
    News read_news();

    /// The command continues after a stop, in the foreground of its
    /// pseudo-terminal or in the background.
    void resume(bool in_foreground);

    /// To be called when the command has ended, whose number is free from then on.
    void release() {
        orders_.close();
    }

  private:
    Descriptor news_, orders_;
};

}  // namespace rnncheck::process
