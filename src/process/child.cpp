#include "process/child.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <set>
#include <utility>

#include "base/files.hpp"
#include "base/lists.hpp"
#include "process/this_process.hpp"

extern char** environ;

namespace rnncheck::process {

using Clock = std::chrono::steady_clock;

constexpr std::size_t longest_line = 16 << 20;
constexpr std::size_t tail_kept = 4096;

/// Lines out of a stream of bytes; a line longer than 16 MiB is given up, so that memory stays bounded.
class LineBuffer {
  public:
    void add(std::string_view bytes, const std::function<void(std::string_view)>& on_line) {
        while (!bytes.empty()) {
            const auto end = bytes.find('\n');
            if (!too_long_) pending_ += bytes.substr(0, end);
            too_long_ |= pending_.size() > longest_line;
            if (end == std::string_view::npos) break;
            if (!too_long_) on_line(pending_);
            pending_.clear();
            too_long_ = false;
            bytes.remove_prefix(end + 1);
        }
        if (too_long_) pending_.clear();
    }

  private:
    std::string pending_;
    bool too_long_ = false;
};

namespace {

struct Pipe {
    Descriptor read, write;
};

Pipe make_pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return {};
    return {Descriptor(ends[0]), Descriptor(ends[1])};
}

/// posix_spawn's settings, freed at the end of the scope.
struct SpawnSettings {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;

    SpawnSettings() {
        posix_spawn_file_actions_init(&files);
        posix_spawnattr_init(&attributes);
        sigset_t none, all;
        sigemptyset(&none);
        sigfillset(&all);
        posix_spawnattr_setsigmask(&attributes, &none);
        posix_spawnattr_setsigdefault(&attributes, &all);
        posix_spawnattr_setpgroup(&attributes, 0);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    }
    ~SpawnSettings() {
        posix_spawn_file_actions_destroy(&files);
        posix_spawnattr_destroy(&attributes);
    }
    SpawnSettings(const SpawnSettings&) = delete;
    SpawnSettings& operator=(const SpawnSettings&) = delete;
};

/// Our environment with `extra` in place of variables of the same name.
std::vector<std::string> environment_with(const std::vector<std::string>& extra) {
    std::vector<std::string> all = extra;
    for (char** variable = environ; *variable; ++variable) {
        const std::string_view text = *variable;
        const auto name = text.substr(0, text.find('=') + 1);
        if (std::ranges::none_of(extra, [&](const std::string& other) { return other.starts_with(name); }))
            all.emplace_back(text);
    }
    return all;
}

/// Where /dev is hidden, a directory gives nothing to read either.
const char* nothing_to_read() {
    return access("/dev/null", R_OK) == 0 ? "/dev/null" : "/";
}

/// Reads what is there. False when the other side closed it.
bool read_some(const Descriptor& from, std::string& into) {
    const ssize_t got = read_onto(into, from.number());
    return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

// No descriptor that wakes us when a child ends (pidfd): kernels too old for it are our public. A child that closed
// its answers is about to leave, so it is looked at more often; so is one whose lines do not wake us.
constexpr int usual_wait_ms = 20;
constexpr int short_wait_ms = 1;

/// Raises a tight soft limit and returns how many descriptors there may be.
int allow_descriptors() {
    constexpr rlim_t enough = 1024;
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return enough;
    if (limit.rlim_cur >= enough) return static_cast<int>(std::min<rlim_t>(limit.rlim_cur, 1 << 20));
    limit.rlim_cur = std::min(enough, limit.rlim_max);
    setrlimit(RLIMIT_NOFILE, &limit);
    getrlimit(RLIMIT_NOFILE, &limit);
    return static_cast<int>(limit.rlim_cur);
}

int most_descriptors() {
    static const int most = allow_descriptors();
    return most;
}

std::set<pid_t>& awaited_processes() {
    static std::set<pid_t> processes;
    return processes;
}

class Child : public Process {
  public:
    Child(const Command& command, OnLine taker) : how_(command), on_line_(std::move(taker)) { start(); }

    ~Child() override {
        awaited_processes().erase(pid_);
        if (pid_ < 0) return;
        kill_group();
        constexpr int patience_ms = 3000;  // one that hangs inside the kernel does not die of it
        for (int waited = 0; waited < patience_ms && waitpid(pid_, nullptr, WNOHANG) == 0; ++waited) usleep(1000);
    }

    /// A closed descriptor has fd -1.
    int add_to_poll(std::vector<pollfd>& polls) const override {
        polls.push_back({to_.number(), POLLOUT, 0});
        polls.push_back(
            {answers_.number(), static_cast<short>(chatters() ? 0 : POLLIN), 0});  // its end wakes us anyway
        polls.push_back({output_.number(), POLLIN, 0});
        return !answers_.open() || chatters() ? short_wait_ms : usual_wait_ms;
    }

    std::optional<ProbeRun> look() override {
        write_input();
        read_answers();
        read_output();
        if (pid_ < 0) return ended(ProbeEnd::not_started);
        if (stays_) return ended(ProbeEnd::finished);
        if (observe_exit()) return reap();
        enforce_limits();
        if (killed_as_ && is_stuck()) return ended(ProbeEnd::stuck);
        return std::nullopt;
    }

    bool is_slow() override { return pid_ >= 0 && !killed_as_ && 2 * clock_->elapsed() > how_.quiet_limit; }
    void shorten(std::chrono::milliseconds limit) override { how_.quiet_limit = std::min(how_.quiet_limit, limit); }
    bool stays() const override { return stays_ && pid_ >= 0; }

  private:
    /// It sends line upon line. It is not to wake us for each, which would cost both more than the lines are worth.
    bool chatters() const { return answered_ && lines_seen_ > 64; }

    void start() {
        if (how_.arguments[0] == own_program() && is_run_by_loader()) {
            run_.reason =
                "rnncheck was started as an argument of the dynamic loader, by which it cannot start its own "
                "processes; start the program itself";
            return;
        }
        Pipe input = make_pipe(), answers = make_pipe(), output = make_pipe();
        if (!input.read.open() || !answers.read.open() || !output.read.open()) {
            run_.reason = std::string("a pipe could not be created: ") + std::strerror(errno);
            return;
        }
        SpawnSettings settings;
        posix_spawn_file_actions_addopen(&settings.files, 0, nothing_to_read(), O_RDONLY, 0);
        posix_spawn_file_actions_adddup2(&settings.files, output.write.number(), 1);
        posix_spawn_file_actions_adddup2(&settings.files, output.write.number(), 2);
        posix_spawn_file_actions_adddup2(&settings.files, input.read.number(), wire().input);
        posix_spawn_file_actions_adddup2(&settings.files, answers.write.number(), wire().answer);
        const auto environment = environment_with(how_.extra_environment);
        const int error = posix_spawn(&pid_, how_.arguments[0].c_str(), &settings.files, &settings.attributes,
                                      pointers_to(how_.arguments).data(), pointers_to(environment).data());
        if (error != 0) {
            pid_ = -1;
            run_.reason = how_.arguments[0] + " could not be started: " + std::strerror(error);
            return;
        }
        awaited_processes().insert(pid_);
        clock_.emplace(pid_);
        to_ = std::move(input.write);
        answers_ = std::move(answers.read);
        output_ = std::move(output.read);
        for (const Descriptor* end : {&to_, &answers_, &output_})
            fcntl(end->number(), F_SETFL, fcntl(end->number(), F_GETFL) | O_NONBLOCK);
    }

    void write_input() {
        if (!to_.open()) return;
        while (written_ < how_.input.size()) {
            const ssize_t wrote = write(to_.number(), how_.input.data() + written_, how_.input.size() - written_);
            if (wrote < 0 && errno == EAGAIN) return;
            if (wrote < 0) break;  // it closed its end: its loss
            written_ += static_cast<std::size_t>(wrote);
        }
        to_.close();
    }

    /// Whether there was anything.
    bool read_answers() {
        if (!answers_.open()) return false;
        std::string bytes;
        const bool more = read_some(answers_, bytes);
        lines_.add(bytes, [this](std::string_view line) {
            clock_->restart();
            ++lines_seen_;
            const LineMeaning heard = on_line_(line);
            done_ |= heard.done;
            stays_ |= heard.stays;
            if (heard.limit) how_.quiet_limit = *heard.limit;
        });
        if (!more) answers_.close();
        answered_ = !bytes.empty();
        return answered_;
    }

    void read_output() {
        if (!output_.open()) return;
        const bool more = read_some(output_, output_tail_);
        if (output_tail_.size() > tail_kept) output_tail_.erase(0, output_tail_.size() - tail_kept);
        if (!more) output_.close();
    }

    bool observe_exit() {
        siginfo_t info{};
        return waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid_;
    }

    void kill_group() {
        kill(-pid_, SIGKILL);
        kill(pid_, SIGKILL);  // it may have left its group
    }

    /// It has ended so or, when its work was done, while it left.
    ProbeRun ended(ProbeEnd end) {
        if (done_ && end == ProbeEnd::stuck && killed_as_ == ProbeEnd::cut_off && is_exiting(pid_)) {
            forget_ending();
            end = ProbeEnd::finished;
        }
        if (!stays_) {
            awaited_processes().erase(pid_);
            pid_ = -1;
        }
        run_.end = done_ && end != ProbeEnd::finished ? ProbeEnd::crashed_at_exit : end;
        run_.elapsed_ms = std::chrono::duration<double, std::milli>(Clock::now() - started_).count();
        if (!output_tail_.empty()) run_.output_tail = output_tail_;
        return run_;
    }

    /// Observe, kill, reap, in this order: a grandchild that inherited a pipe cannot hold us, and while the process is
    /// not reaped its number cannot belong to anybody else.
    ProbeRun reap() {
        kill_group();
        for (int i = 0; i < 1000 && read_answers(); ++i) {  // what is still in the pipe; bounded, others may hold it
        }
        read_output();
        int status = 0;
        rusage used{};
        if (wait4(pid_, &status, 0, &used) == pid_) run_.peak_memory_mib = (used.ru_maxrss + 1023) / 1024;
        stays_ = false;  // its last word may have come too late: the process number may soon be another's
        if (done_ && WIFEXITED(status)) forget_ending();  // it was leaving by itself
        if (killed_as_) return ended(*killed_as_);
        if (WIFSIGNALED(status)) {
            run_.signal = signal_name(WTERMSIG(status));
            return ended(WTERMSIG(status) == SIGKILL ? ProbeEnd::killed : ProbeEnd::crashed);
        }
        if (done_) return ended(ProbeEnd::finished);
        run_.exit_code = WEXITSTATUS(status);
        return ended(ProbeEnd::quit_early);
    }

    void enforce_limits() {
        if (killed_as_) return;
        if (how_.deadline && Clock::now() >= *how_.deadline) return end_for(ProbeEnd::cut_off, "the deadline passed");
        if (!is_silent_for(done_ ? std::min(how_.exit_grace, how_.quiet_limit) : how_.quiet_limit)) return;
        if (done_) return end_for(ProbeEnd::timed_out, "it did not leave after its last word");
        end_for(ProbeEnd::timed_out, "no progress for " + std::to_string(how_.quiet_limit.count() / 1000) + " s");
    }

    /// If we were kept from a processor, it may have waited for us: it has a moment from the first look on.
    bool is_silent_for(std::chrono::milliseconds limit) {
        constexpr std::chrono::milliseconds moment(100);
        const auto quiet = clock_->elapsed();
        if (quiet <= limit) silent_since_.reset();
        if (quiet > limit && !silent_since_) silent_since_ = quiet;
        return silent_since_ && quiet > *silent_since_ + moment;
    }

    void end_for(ProbeEnd end, std::string reason) {
        run_.hang = what_it_does(pid_);
        run_.reason = std::move(reason);
        killed_as_ = end;
        killed_at_ = Clock::now();
        kill_group();
    }

    void forget_ending() {
        killed_as_.reset();
        run_.reason.reset();
        run_.hang.reset();
    }

    bool is_stuck() const {
        constexpr std::chrono::seconds after_deadline(2);
        const auto now = Clock::now();
        const auto last = killed_at_ + how_.stuck_after;
        return now > (how_.deadline ? std::min(last, std::max(*how_.deadline, killed_at_) + after_deadline) : last);
    }

    Command how_;
    OnLine on_line_;
    std::size_t written_ = 0;  ///< of the input
    Clock::time_point started_ = Clock::now();
    std::optional<RunClock> clock_;                          ///< since the last line
    std::optional<std::chrono::milliseconds> silent_since_;  ///< on that clock: it was silent for too long
    Clock::time_point killed_at_{};
    std::optional<ProbeEnd> killed_as_;
    ProbeRun run_;  ///< what is known of it
    std::size_t lines_seen_ = 0;
    bool answered_ = false;  ///< there were lines when it was last looked at
    bool done_ = false, stays_ = false;
    pid_t pid_ = -1;
    Descriptor to_, answers_, output_;
    LineBuffer lines_;
    std::string output_tail_;
};

}  // namespace

std::unique_ptr<Process> start(const Command& command, OnLine on_line) {
    signal(SIGPIPE, SIG_IGN);
    signal(SIGCHLD, SIG_DFL);  // inherited as ignored, children would vanish before they can be observed
    return std::make_unique<Child>(command, std::move(on_line));
}

void wait_for_news(const std::vector<const Process*>& processes) {
    std::vector<pollfd> polls;
    int timeout = usual_wait_ms;
    for (const Process* process : processes) timeout = std::min(timeout, process->add_to_poll(polls));
    poll(polls.data(), polls.size(), timeout);
}

ProbeRun run(const Command& command, OnLine on_line) {
    const auto process = start(command, std::move(on_line));
    while (true) {
        if (auto run = process->look()) return *run;
        wait_for_news({process.get()});
    }
}

const Wire& wire() {
    static const Wire usual, low{most_descriptors() - 2, most_descriptors() - 1};
    return most_descriptors() > usual.answer ? usual : low;
}

bool is_awaited(pid_t process) {
    return awaited_processes().contains(process);
}

int capacity() {
    // Standard streams and the wire's two, three pipe ends for each child, three more while one is started.
    constexpr int fixed = 3 + 2 + 3, for_each = 3;
    return (most_descriptors() - fixed) / for_each;
}

std::string signal_name(int signal) {
    // sigabbrev_np would do this, but needs glibc 2.32.
    static const std::map<int, const char*> names = {
        {SIGSEGV, "SIGSEGV"}, {SIGABRT, "SIGABRT"}, {SIGBUS, "SIGBUS"},   {SIGILL, "SIGILL"},   {SIGFPE, "SIGFPE"},
        {SIGKILL, "SIGKILL"}, {SIGTERM, "SIGTERM"}, {SIGTRAP, "SIGTRAP"}, {SIGPIPE, "SIGPIPE"}, {SIGSYS, "SIGSYS"}};
    const auto* const name = look_up(names, signal);
    return name ? *name : "signal " + std::to_string(signal);
}

}  // namespace rnncheck::process
