// Whether a signal was sent to this process alone or to its whole group, which
// a command that it started is in as well.
#pragma once

#include <sys/types.h>

#include <atomic>

namespace rnncheck::process {

/// A process of the same group that does nothing but count signals.
class SignalRecorder {
  public:
    SignalRecorder();
    ~SignalRecorder();
    SignalRecorder(const SignalRecorder&) = delete;
    SignalRecorder& operator=(const SignalRecorder&) = delete;

    /// Whether it got such a signal too, since the last question about
    /// this one. Waits a moment for it.
    bool saw(int signal);

  private:
    std::atomic<int>* counts_;  ///< by signal, in shared memory
    pid_t process_ = -1;
};

}  // namespace rnncheck::process
