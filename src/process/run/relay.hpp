// A process that passes on what a command writes, and keeps the first and last part of it.
#pragma once

#include <initializer_list>

#include "base/files.hpp"
#include "process/run/kept_output.hpp"

namespace rnncheck::process {

/// Closes every descriptor but these.
void close_all_but(std::initializer_list<int> kept);

struct PipeEnds {
    Descriptor read, write;
};

/// Of close-on-exec descriptors.
PipeEnds new_pipe();

/// Starts at once. It ends when nobody can write to `source` any more, or when
/// nobody reads `target` any more: then it closes `source`, so that the command
/// gets the error it would have got without the relay. It goes on when this object
/// and this process are gone, because what the command left behind may still write.
class Relay {
  public:
    /// `source` is the end of a pipe or pseudo-terminal to read from; a pipe
    /// must have no other end to read from. The descriptor `held` stays open as
    /// long as the relay's process lives; -1 for none.
    Relay(Descriptor source, int target, int held = -1);

    /// For a command that has ended: waits until all that it wrote is passed on.
    void drain();

    Output output() const {
        return kept_.output();
    }

  private:
    KeptOutput kept_;
    /// the relay's process sees when this is closed
    Descriptor command_runs_;
    /// and closes the other end of this when it has passed on everything
    Descriptor drained_;
};

}  // namespace rnncheck::process
