// The keeper is the command's parent and, with a pseudo-terminal, the leader of
// its session, as a shell is; so this program itself remains in its own session.
#include "process/run/keeper.hpp"

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "process/this_process.hpp"

namespace rnncheck::process {

namespace {

/// What the keeper is sent after a stop, one character each.
enum Order : char { run_in_foreground = 'f', run_in_background = 'b' };

/// What runs in the keeper's process: it only forks, waits and reports.
class KeeperProcess {
  public:
    KeeperProcess(
        const CommandToStart& command, const Streams& streams, Descriptor news, Descriptor orders)
        : command_(command), streams_(streams), news_(std::move(news)), orders_(std::move(orders)) {
    }

    void run() {
        struct sigaction usual {};
        usual.sa_handler = SIG_DFL;
        sigaction(SIGCHLD, &usual, &inherited_);
        prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
        if (streams_.has_session()) {
            setsid();
            ioctl(streams_.terminal().number(), TIOCSCTTY, 0);
        }
        sigset_t child;
        sigemptyset(&child);
        sigaddset(&child, SIGCHLD);
        children_ = Descriptor(signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK));
        if (!start())
            return;
        close_all_but(
            {news_.number(),
             orders_.number(),
             children_.number(),
             streams_.terminal().number(),
             streams_.terminal_in_use().number()});
        wait_for_end();
        prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0);
        wait_until_released();
    }

  private:
    void report(News news) const {
        while (write(news_.number(), &news, sizeof news) < 0 && errno == EINTR) {
        }
    }

    /// False if there is no such program.
    /// exec's error comes through a pipe that is closed on success, so that "no
    /// such program" is not taken for an exit code.
    bool start() {
        PipeEnds failure = new_pipe();
        process_ = fork();
        if (process_ < 0) {
            report({News::not_started, errno});
            return false;
        }
        if (process_ == 0)
            become_command(failure.write.number());
        if (streams_.has_session())
            setpgid(process_, process_);
        failure.write.close();
        int error = 0;
        if (read(failure.read.number(), &error, sizeof error) == sizeof error) {
            waitpid(process_, nullptr, 0);
            report({News::not_started, error});
            return false;
        }
        report({News::started, process_});
        return true;
    }

    [[noreturn]] void become_command(int report_failure_to) const {
        prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
        if (streams_.has_session()) {
            setpgid(0, 0);
            tcsetpgrp(streams_.terminal().number(), getpid());
        }
        streams_.give_to_command();
        sigaction(SIGCHLD, &inherited_, nullptr);
        if (command_.before_start)
            command_.before_start();
        sigprocmask(SIG_SETMASK, &command_.signal_mask, nullptr);
        const int error = exec_command(command_.arguments);
        [[maybe_unused]] const ssize_t reported = write(report_failure_to, &error, sizeof error);
        constexpr int not_started = 127;
        _exit(not_started);
    }

    void wait_for_end() {
        while (!look_at_command()) {
            pollfd all[] = {{children_.number(), POLLIN, 0}, {orders_.number(), POLLIN, 0}};
            poll(all, 2, -1);
            signalfd_siginfo information;
            while (read(children_.number(), &information, sizeof information) > 0) {
            }
            if (all[1].revents != 0)
                obey();
        }
    }

    /// Whether it has ended. It is not reaped yet, so that its number cannot
    /// become that of another process.
    bool look_at_command() const {
        siginfo_t about{};
        const auto id = static_cast<id_t>(process_);
        if (waitid(P_PID, id, &about, WSTOPPED | WNOHANG) == 0 && about.si_pid == process_)
            report({News::stopped, about.si_status});
        about = {};
        if (waitid(P_PID, id, &about, WEXITED | WNOHANG | WNOWAIT) != 0 || about.si_pid != process_)
            return false;
        const auto kind = about.si_code == CLD_EXITED ? News::exited : News::killed;
        report({kind, about.si_status});
        return true;
    }

    void obey() {
        char order = 0;
        if (read(orders_.number(), &order, 1) != 1)
            return;
        const bool in_foreground = order == run_in_foreground;
        tcsetpgrp(streams_.terminal().number(), in_foreground ? process_ : getpgrp());
        kill(-process_, SIGCONT);
    }

    /// What the command left behind may use the pseudo-terminal, and would get
    /// SIGHUP when its session's leader ends.
    void wait_until_released() {
        close_all_but({orders_.number(), streams_.terminal_in_use().number()});
        char nothing;
        while (read(orders_.number(), &nothing, 1) > 0) {
        }
        waitpid(process_, nullptr, 0);
        if (streams_.has_session())
            while (read(streams_.terminal_in_use().number(), &nothing, 1) > 0) {
            }
    }

    const CommandToStart& command_;
    const Streams& streams_;
    Descriptor news_, orders_, children_;
    struct sigaction inherited_ {};
    pid_t process_ = -1;
};

}  // namespace

Keeper::Keeper(const CommandToStart& command, const Streams& streams) {
    PipeEnds news = new_pipe(), orders = new_pipe();
    const pid_t process = fork();
    if (process < 0)
        throw std::system_error(errno, std::generic_category(), "no process");
    if (process == 0) {
        news.read.close();
        orders.write.close();
        KeeperProcess(command, streams, std::move(news.write), std::move(orders.read)).run();
        _exit(0);
    }
    news_ = std::move(news.read);
    orders_ = std::move(orders.write);
}

/// `lost` where the keeper itself was killed: then nothing is known of the command's end.
News Keeper::read_news() {
    News news;
    ssize_t got = 0;
    do
        got = read(news_.number(), &news, sizeof news);
    while (got < 0 && errno == EINTR);
    if (got != sizeof news)
        return News{News::lost};
    return news;
}

void Keeper::resume(bool in_foreground) {
    const char order = in_foreground ? run_in_foreground : run_in_background;
    while (write(orders_.number(), &order, 1) < 0 && errno == EINTR) {
    }
}

}  // namespace rnncheck::process
