// A command that is run through rnncheck has to behave as if it had been typed:
// signals, stops, keys, terminal and exit code reach the right process.
#include "process/run/run_command.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/text.hpp"
#include "process/process_state.hpp"
#include "process/run/keeper.hpp"
#include "process/run/signal_recorder.hpp"
#include "process/run/streams.hpp"
#include "process/run/terminal.hpp"

namespace rnncheck::process {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// that were typed and not yet read
constexpr std::size_t most_keys = 1 << 16;

bool is_stop(int signal) {
    return signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

std::string program_of(pid_t process) {
    return std::string(
        trim(Root().read("/proc/" + std::to_string(process) + "/comm", 64).value_or("")));
}

class RunningCommand {
  public:
    explicit RunningCommand(const CommandRun& run)
        : run_(run), terminal_(streams_.real_terminal()) {
        sigset_t all;
        sigfillset(&all);
        sigprocmask(SIG_SETMASK, &all, &inherited_mask_);
        signals_ = Descriptor(signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK));
    }

    CommandEnd to_its_end() {
        if (streams_.has_session())
            terminal_.take();
        Keeper keeper({run_.arguments, inherited_mask_, run_.before_start}, streams_);
        keeper_ = &keeper;
        streams_.start_relays();
        while (!ended_) {
            wait_for_something();
            if (command_ > 0)
                read_signals();
            if (polled_[1].revents != 0)
                take_news(keeper.read_news());
            hand_on_keys();
            keep_time();
        }
        keeper.release();
        finish();
        return end_;
    }

  private:
    void wait_for_something() {
        // until it can be handed on, a signal waits
        const int signals = command_ > 0 ? signals_.number() : -1;
        polled_[0] = {signals, POLLIN, 0};
        polled_[1] = {keeper_->descriptor(), POLLIN, 0};
        const bool takes_keys = terminal_.is_taken() && keys_.size() < most_keys;
        polled_[2] = {takes_keys ? streams_.real_terminal() : -1, POLLIN, 0};
        polled_[3] = {keys_.empty() ? -1 : streams_.controller().number(), POLLOUT, 0};
        const auto wait = std::clamp<Clock::duration>(
            next_ - Clock::now(), milliseconds(0), std::chrono::hours(1));
        poll(polled_, 4, static_cast<int>(std::chrono::ceil<milliseconds>(wait).count()));
    }

    void read_signals() {
        signalfd_siginfo got;
        while (read(signals_.number(), &got, sizeof got) == sizeof got) {
            const int signal = static_cast<int>(got.ssi_signo);
            if (signal == SIGCHLD)
                reap();
            else if (signal == SIGWINCH)
                follow_size(got);
            else if (signal == SIGCONT)
                resume(got);
            else
                hand_on(got);
        }
    }

    /// Of a container's first process others become children.
    static void reap() {
        for (pid_t ended = ended_child(); ended > 0 && !is_awaited(ended); ended = ended_child())
            waitpid(ended, nullptr, WNOHANG);
    }

    static pid_t ended_child() {
        siginfo_t info{};
        waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT);
        return info.si_pid;
    }

    void follow_size(const signalfd_siginfo& got) {
        // the kernel sends SIGWINCH to the session on the pseudo-terminal
        streams_.follow_size();
        const bool has_size_without_session =
            streams_.controller().open() && !streams_.has_session();
        if (has_size_without_session || got.ssi_code != SI_KERNEL)
            send(SIGWINCH, false);
    }

    /// A signal to the whole group has reached the command as well, unless
    /// that has a session of its own.
    void hand_on(const signalfd_siginfo& got) {
        const int signal = static_cast<int>(got.ssi_signo);
        if (got.ssi_pid == static_cast<std::uint32_t>(getpid()))
            return static_cast<void>(recorder_.saw(signal));
        const bool by_kernel = got.ssi_code == SI_KERNEL;
        std::string sender = "the kernel";
        if (!by_kernel)
            sender = program_of(static_cast<pid_t>(got.ssi_pid));
        end_.sent = {signal, sender};
        const bool to_group = by_kernel || recorder_.saw(signal);
        if (streams_.has_session() || !to_group)
            send(signal, to_group);
    }

    void send(int signal, bool to_group) const {
        if (command_ > 0)
            kill(to_group ? -command_ : command_, signal);
    }

    void take_news(News news) {
        switch (news.kind) {
            case News::started:
                command_ = news.number;
                looked_next_ = next_ = Clock::now();
                break;
            case News::stopped:
                if (is_stop(news.number))
                    stop(news.number);
                break;
            case News::not_started:
                end_.error = news.number;
                break;
            case News::exited:
                end_.exit_code = news.number;
                break;
            case News::killed:
                end_.signal = news.number;
                break;
            case News::lost:
            case News::none:
                break;
        }
        ended_ = news.kind != News::started && news.kind != News::stopped;
    }

    /// Like the command: the shell that started this process is to see it.
    void stop(int signal) {
        if (streams_.has_session()) {
            // for what the command has just written
            constexpr int moment_ms = 20;
            poll(nullptr, 0, moment_ms);
            terminal_.give_back();
        }
        struct sigaction usual {
        }, inherited{};
        usual.sa_handler = SIG_DFL;
        sigaction(signal, &usual, &inherited);
        sigset_t one;
        sigemptyset(&one);
        sigaddset(&one, signal);
        kill(streams_.has_session() ? 0 : getpid(), signal);
        // here it stops
        sigprocmask(SIG_UNBLOCK, &one, nullptr);
        sigprocmask(SIG_BLOCK, &one, nullptr);
        sigaction(signal, &inherited, nullptr);
        if (!streams_.has_session())
            return;
        sigemptyset(&one);
        sigaddset(&one, SIGCONT);
        const timespec no_time{};
        sigtimedwait(&one, nullptr, &no_time);  // the one that ended the stop
        resume_session();
    }

    void resume(const signalfd_siginfo&) {
        if (streams_.has_session())
            resume_session();
        else if (!recorder_.saw(SIGCONT))
            send(SIGCONT, false);
    }

    void resume_session() {
        const bool in_foreground = is_in_foreground(streams_.real_terminal());
        if (in_foreground) {
            terminal_.take();
            streams_.follow_size();
        }
        keeper_->resume(in_foreground);
    }

    void hand_on_keys() {
        if (polled_[2].revents != 0) {
            const std::size_t before = keys_.size();
            const ssize_t got = read_onto(keys_, streams_.real_terminal(), 4096);
            share_interrupts(keys_.substr(before));
            // it is gone
            if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN))
                terminal_.give_back();
        }
        if (keys_.empty())
            return;
        const ssize_t written = write(streams_.controller().number(), keys_.data(), keys_.size());
        if (written > 0)
            keys_.erase(0, static_cast<std::size_t>(written));
        if (written < 0 && errno != EAGAIN && errno != EINTR)
            keys_.clear();
    }

    /// The pseudo-terminal interrupts the command; who else is in our process
    /// group, such as a script, would have been interrupted as well.
    void share_interrupts(const std::string& typed) const {
        termios modes{};
        if (tcgetattr(streams_.terminal().number(), &modes) != 0 || (modes.c_lflag & ISIG) == 0)
            return;
        for (const auto& [key, signal] : {std::pair(VINTR, SIGINT), std::pair(VQUIT, SIGQUIT)})
            if (contains(typed, std::string(1, static_cast<char>(modes.c_cc[key]))))
                kill(0, signal);
    }

    void keep_time() {
        const auto now = Clock::now();
        constexpr milliseconds background_look(200);
        next_ = now + std::chrono::hours(1);
        if (command_ > 0 && run_.look && now >= looked_next_)
            looked_next_ = now + run_.look(command_);
        if (command_ > 0 && run_.look)
            next_ = std::min(next_, looked_next_);
        if (run_.time_limit)
            enforce_limit(now);
        if (!streams_.has_session() || terminal_.is_taken())
            return;
        // a shell may bring a running job to the foreground silently
        next_ = std::min(next_, now + background_look);
        if (is_in_foreground(streams_.real_terminal()))
            resume_session();
    }

    /// SIGTERM first, so that the command can write what it has; SIGKILL ten seconds later.
    void enforce_limit(Clock::time_point now) {
        constexpr std::chrono::seconds grace(10);
        const auto limit = started_ + *run_.time_limit;
        next_ = std::min(next_, end_.passed_limit ? limit + grace : limit);
        if (now < limit || command_ <= 0)
            return;
        if (!end_.passed_limit) {
            end_.hang = inspect(command_);
            end_.passed_limit = true;
            next_ = std::min(next_, limit + grace);
            send(SIGTERM, false);
            send(SIGCONT, false);
        } else if (now >= limit + grace) {
            send(SIGKILL, false);
            next_ = now + grace;
        }
    }

    void finish() {
        end_.time = Clock::now();
        end_.seconds = std::chrono::duration<double>(end_.time - started_).count();
        termios modes = terminal_.modes();
        if (streams_.has_session())
            tcgetattr(streams_.terminal().number(), &modes);
        if (!terminal_.is_taken())
            sigprocmask(SIG_SETMASK, &inherited_mask_, nullptr);
        streams_.drain();
        if (terminal_.is_taken())
            terminal_.give_back_with(modes);
        sigprocmask(SIG_SETMASK, &inherited_mask_, nullptr);
        end_.outputs = streams_.outputs();
    }

    const CommandRun& run_;
    sigset_t inherited_mask_;
    Descriptor signals_;
    SignalRecorder recorder_;
    Streams streams_;
    TakenTerminal terminal_;
    Keeper* keeper_ = nullptr;
    pollfd polled_[4] = {};
    std::string keys_;
    pid_t command_ = -1;
    bool ended_ = false;
    Clock::time_point started_ = Clock::now(), next_ = started_ + std::chrono::hours(1),
                      looked_next_ = next_;
    CommandEnd end_;
};

}  // namespace

CommandEnd run_command(const CommandRun& run) {
    return RunningCommand(run).to_its_end();
}

void end_as(const CommandEnd& end) {
    // as timeout(1) and shells have them
    constexpr int timed_out = 124, signal_base = 128, unknown = 70;
    if (end.passed_limit)
        _exit(timed_out);
    if (!end.signal)
        _exit(end.exit_code.value_or(unknown));
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    signal(*end.signal, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    kill(getpid(), *end.signal);
    // the first process of a container does not die of its own signal
    _exit(signal_base + *end.signal);
}

}  // namespace rnncheck::process
