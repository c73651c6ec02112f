// kill(2) shows a receiver only who sent a signal, not to whom else: a second
// process in the group is the way to find out.
#include "process/run/signal_recorder.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>

#include "process/run/relay.hpp"

namespace rnncheck::process {

namespace {

/// Signals 1 to 64 of Linux.
constexpr int signals = 65;
std::atomic<int>* recorded_counts;

void count_signal(int signal) {
    ++recorded_counts[signal];
}

/// It closes all files: whoever waits for the end of a pipe shall not wait for it.
[[noreturn]] void record_signals() {
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    close_all_but({});
    struct sigaction counting {};
    counting.sa_handler = count_signal;
    counting.sa_flags = SA_RESTART;
    for (int signal = 1; signal < signals; ++signal)
        sigaction(signal, &counting, nullptr);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    while (true)
        pause();
}

}  // namespace

SignalRecorder::SignalRecorder() {
    const std::size_t size = signals * sizeof(std::atomic<int>);
    void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        throw std::system_error(errno, std::generic_category(), "no shared memory");
    counts_ = recorded_counts = static_cast<std::atomic<int>*>(memory);
    process_ = fork();
    if (process_ < 0)
        throw std::system_error(errno, std::generic_category(), "no process");
    if (process_ == 0)
        record_signals();
}

SignalRecorder::~SignalRecorder() {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
    munmap(counts_, signals * sizeof(std::atomic<int>));
}

bool SignalRecorder::saw(int signal) {
    constexpr int patience_ms = 30;
    for (int waited = 0; counts_[signal] == 0 && waited < patience_ms; ++waited)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return counts_[signal].exchange(0) > 0;
}

}  // namespace rnncheck::process
