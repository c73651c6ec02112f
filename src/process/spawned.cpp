// posix_spawn(3), not fork: the page tables of a large process need not be copied.
#include "process/spawned.hpp"

#include <fcntl.h>
#include <poll.h>
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
#include "process/process_state.hpp"
#include "process/this_process.hpp"

extern char** environ;

namespace rnncheck::process {

namespace {

/// Both ends are close-on-exec: a child gets only those that it is given.
struct Pipe {
    Descriptor read, write;
};

Pipe make_pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return {};
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
        posix_spawnattr_setflags(
            &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
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
        if (std::ranges::none_of(
                extra, [&](const std::string& other) { return other.starts_with(name); }))
            all.emplace_back(text);
    }
    return all;
}

/// Where /dev is hidden, a directory gives nothing to read either.
const char* nothing_to_read() {
    if (access("/dev/null", R_OK) == 0)
        return "/dev/null";
    return "/";
}

/// Reads what is there; closes it when the other side did.
std::string read_some(Descriptor& from) {
    std::string bytes;
    if (!from.open())
        return bytes;
    const auto got = read_onto(bytes, from.number());
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
        from.close();
    return bytes;
}

/// Raises a tight soft limit and returns how many descriptors there may be.
int allow_descriptors() {
    constexpr rlim_t enough = 1024;
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return enough;
    if (limit.rlim_cur >= enough)
        return static_cast<int>(std::min<rlim_t>(limit.rlim_cur, 1 << 20));
    limit.rlim_cur = std::min(enough, limit.rlim_max);
    setrlimit(RLIMIT_NOFILE, &limit);
    getrlimit(RLIMIT_NOFILE, &limit);
    return static_cast<int>(limit.rlim_cur);
}

int most_descriptors() {
    static const int most = allow_descriptors();
    return most;
}

/// The processes of start() that nobody has waited for yet: the first process
/// of a container also gets others.
std::set<pid_t>& awaited_processes() {
    static std::set<pid_t> processes;
    return processes;
}

}  // namespace

struct Spawned::State {
    std::optional<std::string> failure;
    std::string input;
    std::size_t written = 0;  ///< of the input
    pid_t pid = -1;
    Descriptor to, answers, output;
    std::optional<RunClock> clock;  ///< since the last line
};

Spawned::Spawned(const Command& command) : state_(std::make_unique<State>()) {
    signal(SIGPIPE, SIG_IGN);
    // inherited as ignored, children would vanish before they can be observed
    signal(SIGCHLD, SIG_DFL);
    if (command.arguments[0] == own_program() && is_run_by_loader()) {
        state_->failure =
            "rnncheck was started as an argument of the dynamic loader, by which it cannot start "
            "its own processes; "
            "start the program itself";
        return;
    }
    Pipe input = make_pipe(), answers = make_pipe(), output = make_pipe();
    if (!input.read.open() || !answers.read.open() || !output.read.open()) {
        state_->failure = std::string("a pipe could not be created: ") + std::strerror(errno);
        return;
    }
    SpawnSettings settings;
    posix_spawn_file_actions_addopen(&settings.files, 0, nothing_to_read(), O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&settings.files, output.write.number(), 1);
    posix_spawn_file_actions_adddup2(&settings.files, output.write.number(), 2);
    posix_spawn_file_actions_adddup2(&settings.files, input.read.number(), wire().input);
    posix_spawn_file_actions_adddup2(&settings.files, answers.write.number(), wire().answer);
    const auto environment = environment_with(command.extra_environment);
    const int error = posix_spawn(
        &state_->pid,
        command.arguments[0].c_str(),
        &settings.files,
        &settings.attributes,
        pointers_to(command.arguments).data(),
        pointers_to(environment).data());
    if (error != 0) {
        state_->pid = -1;
        state_->failure = command.arguments[0] + " could not be started: " + std::strerror(error);
        return;
    }
    awaited_processes().insert(state_->pid);
    state_->clock.emplace(state_->pid);
    state_->input = command.input;
    state_->to = std::move(input.write);
    state_->answers = std::move(answers.read);
    state_->output = std::move(output.read);
    for (const Descriptor* end : {&state_->to, &state_->answers, &state_->output})
        fcntl(end->number(), F_SETFL, fcntl(end->number(), F_GETFL) | O_NONBLOCK);
}

Spawned::~Spawned() {
    if (!is_known())
        return;
    awaited_processes().erase(state_->pid);
    kill();
    // one that hangs inside the kernel does not die of it
    constexpr int patience_ms = 3000;
    for (int waited = 0; waited < patience_ms && waitpid(state_->pid, nullptr, WNOHANG) == 0;
         ++waited)
        usleep(1000);
}

const std::optional<std::string>& Spawned::failure() const {
    return state_->failure;
}

bool Spawned::is_known() const {
    return state_->pid >= 0;
}

void Spawned::forget() {
    awaited_processes().erase(state_->pid);
    state_->pid = -1;
}

void Spawned::write_input() {
    Descriptor& to = state_->to;
    const std::string& input = state_->input;
    if (!to.open())
        return;
    while (state_->written < input.size()) {
        const ssize_t wrote =
            write(to.number(), input.data() + state_->written, input.size() - state_->written);
        if (wrote < 0 && errno == EAGAIN)
            return;
        // it closed its end: its loss
        if (wrote < 0)
            break;
        state_->written += static_cast<std::size_t>(wrote);
    }
    to.close();
}

std::string Spawned::new_messages() {
    return read_some(state_->answers);
}

bool Spawned::messages_are_open() const {
    return state_->answers.open();
}

std::string Spawned::new_output() {
    return read_some(state_->output);
}

/// Without reaping it (WNOWAIT), so that its number remains its own.
bool Spawned::has_exited() {
    siginfo_t info{};
    return waitid(P_PID, static_cast<id_t>(state_->pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == state_->pid;
}

bool Spawned::is_exiting() const {
    return process::is_exiting(state_->pid);
}

std::optional<Hang> Spawned::inspect() const {
    return process::inspect(state_->pid);
}

void Spawned::kill() {
    ::kill(-state_->pid, SIGKILL);
    // it may have left its group
    ::kill(state_->pid, SIGKILL);
}

/// ru_maxrss is in KiB on Linux (getrusage(2)).
Spawned::End Spawned::end() {
    int status = 0;
    rusage used{};
    End end;
    if (wait4(state_->pid, &status, 0, &used) == state_->pid)
        end.peak_memory_mib = (used.ru_maxrss + 1023) / 1024;
    if (WIFEXITED(status))
        end.exit_code = WEXITSTATUS(status);
    if (WIFSIGNALED(status))
        end.signal = signal_name(WTERMSIG(status));
    end.was_killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    return end;
}

std::chrono::milliseconds Spawned::time_run() {
    return state_->clock->elapsed();
}

void Spawned::restart_clock() {
    state_->clock->restart();
}

/// A closed descriptor has the number -1, which poll leaves out; the end of the
/// answers wakes us even where lines do not.
void Spawned::wait(const std::vector<Awaited>& awaited, std::chrono::milliseconds longest) {
    std::vector<pollfd> polls;
    for (const Awaited& one : awaited) {
        const State& state = *one.process->state_;
        const short lines = one.by_lines ? POLLIN : 0;
        polls.insert(
            polls.end(),
            {{state.to.number(), POLLOUT, 0},
             {state.answers.number(), lines, 0},
             {state.output.number(), POLLIN, 0}});
    }
    poll(polls.data(), polls.size(), static_cast<int>(longest.count()));
}

const Wire& wire() {
    static const Wire usual, low{most_descriptors() - 2, most_descriptors() - 1};
    return most_descriptors() > usual.answer ? usual : low;
}

bool is_awaited(pid_t process) {
    return awaited_processes().contains(process);
}

int capacity() {
    // Standard streams and the wire's two, three pipe ends for each child,
    // three more while one is started.
    constexpr int fixed = 3 + 2 + 3, for_each = 3;
    return (most_descriptors() - fixed) / for_each;
}

std::string signal_name(int signal) {
    // sigabbrev_np would do this, but needs glibc 2.32.
    static const std::map<int, const char*> names = {
        {SIGSEGV, "SIGSEGV"},
        {SIGABRT, "SIGABRT"},
        {SIGBUS, "SIGBUS"},
        {SIGILL, "SIGILL"},
        {SIGFPE, "SIGFPE"},
        {SIGKILL, "SIGKILL"},
        {SIGTERM, "SIGTERM"},
        {SIGTRAP, "SIGTRAP"},
        {SIGPIPE, "SIGPIPE"},
        {SIGSYS, "SIGSYS"}};
    const auto* const name = look_up(names, signal);
    if (!name)
        return "signal " + std::to_string(signal);
    return *name;
}

}  // namespace rnncheck::process
