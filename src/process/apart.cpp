// The process that works is a fork, so that `work` may use all that the caller
// has; only its result comes back, through a pipe.
#include "process/apart.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <thread>

#include "base/files.hpp"
#include "process/process_state.hpp"
#include "process/wire.hpp"

namespace rnncheck::process {

namespace {

using Time = std::chrono::steady_clock;

std::optional<Time::time_point> last_moment;

/// The first character of a reply.
enum Reply : char {
    result = 'r',
    input_error = 'i',
    usage_error = 'u',
    no_response = 'n',
    other_error = 'o'
};

/// A fork that cannot be killed shall not keep the reader of our output waiting
/// for its end. In their place is what cannot be written to, so that what is
/// meant for them is not lost in silence.
void leave_outputs(int reply_to) {
    const Descriptor directory(open("/", O_RDONLY | O_CLOEXEC));
    for (const int stream : {STDOUT_FILENO, STDERR_FILENO})
        dup2(directory.number(), stream);
    constexpr int most_inherited = 256;
    for (int other = STDERR_FILENO + 1; other < most_inherited; ++other) {
        const int flags = fcntl(other, F_GETFL);
        if (other != reply_to && flags >= 0 && (flags & O_ACCMODE) != O_RDONLY)
            close(other);
    }
}

std::string reply_of(const std::function<std::string()>& work) {
    const auto reply = [](Reply kind, const std::string& text) {
        return static_cast<char>(kind) + text;
    };
    try {
        return reply(result, work());
    } catch (const NoResponse& error) {
        return reply(no_response, error.what());
    } catch (const InputError& error) {
        return reply(input_error, error.what());
    } catch (const UsageError& error) {
        return reply(usage_error, error.what());
    } catch (const std::exception& error) {
        return reply(other_error, error.what());
    }
}

std::string result_in(const std::string& reply) {
    const std::string text = reply.substr(1);
    switch (reply.front()) {
        case result:
            return text;
        case no_response:
            throw NoResponse(text);
        case input_error:
            throw InputError(text);
        case usage_error:
            throw UsageError(text);
        default:
            throw std::runtime_error(text);
    }
}

/// The process that works, as its parent sees it: a pipe for the
/// reply, and what /proc shows of it.
class Fork {
  public:
    Fork(pid_t process, Descriptor replies) : process_(process), replies_(std::move(replies)) {
    }

    /// Ends with a line end, unless the fork did not finish.
    std::string reply() {
        std::string text;
        for (auto moved = Time::now();;) {
            constexpr int wait_ms = 100;
            pollfd ready{replies_.number(), POLLIN, 0};
            if (poll(&ready, 1, wait_ms) > 0) {
                if (const ssize_t got = read_onto(text, replies_.number()); got == 0)
                    break;
                moved = Time::now();
            } else if (has_moved()) {
                moved = Time::now();
            }
            if (is_over(moved))
                give_up();
        }
        waitpid(process_, nullptr, 0);
        return text;
    }

  private:
    /// A file system that answers slowly still moves; one that is gone does not.
    bool has_moved() {
        const std::string before = std::exchange(movement_, movement_of(process_));
        return before != movement_;
    }

    bool is_over(Time::time_point moved) const {
        constexpr std::chrono::seconds least(1), grace(4), patience(8), patience_without_proc(60);
        const auto now = Time::now();
        if (last_moment) {
            // On a busy machine the fork may not have reached the file
            // yet that its message is to name.
            const auto end = std::max(*last_moment, started_ + least);
            if (now > end)
                return awaited_file(process_) || now > end + grace;
        }
        if (now < moved + patience || waits_for_stream(process_))
            return false;
        return awaited_file(process_) || now > moved + patience_without_proc;
    }

    [[noreturn]] void give_up() const {
        const auto file = awaited_file(process_);
        kill(process_, SIGKILL);
        for (int i = 0; i < 50 && waitpid(process_, nullptr, WNOHANG) == 0; ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        const std::string advice =
            "restore the connection to its server, or give a file or directory on another file "
            "system";
        if (!file)
            throw NoResponse("a file did not respond in time; if it is on a network, " + advice);
        throw NoResponse("the file system of '" + *file + "' does not respond; " + advice);
    }

    pid_t process_;
    Descriptor replies_;
    Time::time_point started_ = Time::now();
    std::string movement_;
};

}  // namespace

std::string apart(const std::function<std::string()>& work) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return work();
    Descriptor from(ends[0]), to(ends[1]);
    const pid_t process = fork();
    if (process < 0)
        return work();
    if (process == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
        leave_outputs(to.number());
        write_line(to.number(), reply_of(work));
        _exit(0);
    }
    to.close();
    std::string reply = Fork(process, std::move(from)).reply();
    if (!reply.ends_with('\n'))
        throw InputError(
            "the process that reads files was ended by another process, for example because memory "
            "ran out");
    reply.pop_back();
    return result_in(reply);
}

void require_response(const std::string& path) {
    apart([&]() -> std::string {
        struct stat about {};
        if (stat(path.c_str(), &about) != 0)
            return "";
        return "it is there";
    });
}

void end_work_apart_at(std::optional<std::chrono::steady_clock::time_point> deadline) {
    last_moment = deadline;
}

}  // namespace rnncheck::process
