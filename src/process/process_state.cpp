#include "process/process_state.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "base/files.hpp"
#include "base/lists.hpp"
#include "base/text.hpp"

namespace rnncheck::process {

namespace {

using std::chrono::milliseconds;

std::string content(pid_t process, const char* name) {
    return Root().read("/proc/" + std::to_string(process) + '/' + name, 4096).value_or("");
}

/// The fields of /proc/PROCESS/stat that are needed here.
struct Stat {
    /// of its main thread: R on a processor or waiting for one, S sleeping, D
    /// uninterruptible
    char state;
    /// PF_* of the kernel
    unsigned flags;
    /// of all its threads
    milliseconds processor_time;
    /// since the machine was started
    long long start_ticks;
};

/// "4711 (name) S 1 ...", proc(5); the name may hold parentheses.
std::optional<Stat> stat_of(pid_t process) {
    const std::string text = content(process, "stat");
    const auto name_end = text.rfind(')');
    if (name_end == std::string::npos)
        return std::nullopt;
    char state = '?';
    unsigned flags = 0;
    long long user_ticks = 0, kernel_ticks = 0, start_ticks = 0;
    constexpr const char* fields =  // from the third on
        " %c %*s %*s %*s %*s %*s %u %*s %*s %*s %*s %lld %lld %*s %*s %*s %*s %*s %*s %lld";
    if (std::sscanf(
            text.c_str() + name_end + 1,
            fields,
            &state,
            &flags,
            &user_ticks,
            &kernel_ticks,
            &start_ticks) != 5)
        return std::nullopt;
    const long long ticks_per_s = std::max(sysconf(_SC_CLK_TCK), 1L);
    return Stat{
        state, flags, milliseconds(1000 * (user_ticks + kernel_ticks) / ticks_per_s), start_ticks};
}

/// How long the threads of a process have waited for a processor, all together; nothing where the
/// kernel does not count it. Of a wait that lasts it is counted when it ends. schedstat is "time on
/// a processor, time waiting for one, turns", in nanoseconds:
/// https://docs.kernel.org/scheduler/sched-stats.html
std::optional<milliseconds> time_waited(pid_t process) {
    const std::string threads = "/proc/" + std::to_string(process) + "/task";
    constexpr std::size_t most_threads = 64;
    long long waited_ns = 0;
    bool is_counted = false;
    for (const std::string& thread : Root().names_in(threads, most_threads)) {
        long long ran = 0, waited = 0;
        const std::string text =
            Root().read(threads + '/' + thread + "/schedstat", 128).value_or("");
        if (std::sscanf(text.c_str(), "%lld %lld", &ran, &waited) == 2)
            waited_ns += waited;
        is_counted |= ran > 0;
    }
    if (!is_counted)
        return std::nullopt;
    return std::chrono::duration_cast<milliseconds>(std::chrono::nanoseconds(waited_ns));
}

/// The letters of proc_pid_stat(5).
std::string word_of(char state) {
    static const std::map<char, const char*> words = {
        {'R', "running"},
        {'S', "sleeping"},
        {'D', "uninterruptible"},
        {'T', "stopped"},
        {'t', "stopped"}};
    const auto* const word = look_up(words, state);
    if (!word)
        return std::string(1, state);
    return *word;
}

/// Where a system call has the path of a file among its arguments, and
/// where an open file's number.
struct FileArgument {
    int path = -1, file = -1;
};

std::optional<FileArgument> file_argument_of(long call) {
    static const std::map<long, FileArgument> arguments = {
#ifdef SYS_open  // newer architectures have the calls that end in "at" alone
        {SYS_open, {0}},        {SYS_stat, {0}},          {SYS_lstat, {0}},
        {SYS_access, {0}},      {SYS_readlink, {0}},      {SYS_mkdir, {0}},
        {SYS_rmdir, {0}},       {SYS_unlink, {0}},        {SYS_rename, {0}},
#endif
        {SYS_openat, {1}},      {SYS_newfstatat, {1, 0}}, {SYS_statx, {1, 0}},
        {SYS_faccessat, {1}},   {SYS_readlinkat, {1}},    {SYS_mkdirat, {1}},
        {SYS_unlinkat, {1}},    {SYS_renameat, {1}},      {SYS_execve, {0}},
        {SYS_chdir, {0}},       {SYS_statfs, {0}},        {SYS_read, {-1, 0}},
        {SYS_pread64, {-1, 0}}, {SYS_write, {-1, 0}},     {SYS_getdents64, {-1, 0}},
        {SYS_fstat, {-1, 0}},   {SYS_fsync, {-1, 0}},     {SYS_close, {-1, 0}},
        {SYS_lseek, {-1, 0}},   {SYS_ftruncate, {-1, 0}},
    };
#ifdef SYS_faccessat2  // Linux 5.8
    if (call == SYS_faccessat2)
        return FileArgument{1};
#endif
    const auto* const known = look_up(arguments, call);
    if (!known)
        return std::nullopt;
    return *known;
}

/// The text at an address of a process; "" where it cannot be read.
std::string text_at(pid_t process, unsigned long address) {
    const Descriptor memory(
        open(("/proc/" + std::to_string(process) + "/mem").c_str(), O_RDONLY | O_CLOEXEC));
    constexpr unsigned long longest = 4096;
    const auto page = static_cast<unsigned long>(std::max(sysconf(_SC_PAGESIZE), 1L));
    std::string text;
    while (memory.open() && text.size() < longest && text.find('\0') == text.npos) {
        const std::size_t before = text.size();
        // the next page may be nobody's
        text.resize(before + page - (address + before) % page);
        const ssize_t got = pread(
            memory.number(),
            text.data() + before,
            text.size() - before,
            static_cast<off_t>(address + before));
        text.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
        if (got <= 0)
            break;
    }
    return text.substr(0, text.find('\0'));
}

/// The file that a process has opened under this number; "" for a pipe, a
/// socket, a terminal.
std::string file_opened_as(pid_t process, unsigned long number) {
    const std::string directory = "/proc/" + std::to_string(process);
    const std::string file = Root().link(directory + "/fd/" + std::to_string(number)).value_or("");
    if (file.starts_with('/') && !file.starts_with("/dev/"))
        return file;
    return "";
}

/// /proc/N/syscall: "257 0xffffff9c 0x7ffd...", the number in decimal and six
/// arguments; "running" or "-1" outside of a system call.
std::vector<std::string> system_call_of(pid_t process) {
    return split(content(process, "syscall"), ' ');
}

}  // namespace

std::optional<std::string> awaited_file(pid_t process) {
    const std::vector<std::string> words = system_call_of(process);
    constexpr std::size_t call_and_arguments = 7;
    if (words.size() < call_and_arguments)
        return std::nullopt;
    const auto argument = file_argument_of(std::strtol(words[0].c_str(), nullptr, 10));
    if (!argument)
        return std::nullopt;
    const auto value = [&](int place) {
        return std::strtoul(words[static_cast<std::size_t>(place) + 1].c_str(), nullptr, 16);
    };
    std::string file;
    if (argument->path >= 0)
        file = text_at(process, value(argument->path));
    if (file.empty() && argument->file >= 0)
        file = file_opened_as(process, value(argument->file));
    if (file.empty())
        return std::nullopt;
    return file;
}

bool waits_for_stream(pid_t process) {
    const std::vector<std::string> words = system_call_of(process);
    if (words.empty())
        return false;
    const long call = std::strtol(words[0].c_str(), nullptr, 10);
#ifdef SYS_poll
    if (call == SYS_poll)
        return true;
#endif
    return call == SYS_ppoll;
}

std::string movement_of(pid_t process) {
    const auto stat = stat_of(process);
    if (!stat)
        return "";
    // its last lines count how often it came to a processor
    const std::string status = content(process, "status");
    return std::to_string(stat->processor_time.count()) +
           status.substr(std::min(status.rfind("\nvoluntary"), status.size()));
}

/// wchan is "0" in user mode and where the kernel hides it; the stack is for root alone.
std::optional<Hang> inspect(pid_t process) {
    const auto stat = stat_of(process);
    if (!stat)
        return std::nullopt;
    Hang hang{word_of(stat->state), {}, {}, {}, static_cast<double>(stat->processor_time.count())};
    hang.file = awaited_file(process);
    const std::string function = content(process, "wchan");
    if (!function.empty() && function != "0")
        hang.kernel_function = function;
    for (const std::string& line : split(content(process, "stack"), '\n'))
        if (const auto at = line.find("] ");
            at != std::string::npos && hang.kernel_stack.size() < 16)
            hang.kernel_stack.push_back(line.substr(at + 2));
    return hang;
}

std::optional<long long> ticks_at_start(pid_t process) {
    const auto stat = stat_of(process);
    if (!stat)
        return std::nullopt;
    return stat->start_ticks;
}

bool is_exiting(pid_t process) {
    // PF_EXITING of include/linux/sched.h
    constexpr unsigned exiting = 0x4;
    const auto stat = stat_of(process);
    return stat && (stat->flags & exiting);
}

/// Looked at later than that, we were kept from a processor
/// ourselves, and it may have been, too.
constexpr milliseconds longest_without_look{250};

void RunClock::restart() {
    looked_ = Clock::now();
    last_.reset();
    counted_ = left_out_ = {};
}

/// Without the waits, what passed between two looks; at least what it used, at
/// most all of it.
milliseconds RunClock::could_run(milliseconds passed, const Look& before, const Look& now) {
    const milliseconds used = now.processor_time - before.processor_time;
    milliseconds most = passed;
    if (now.is_running)
        most = std::min(passed, used);
    if (!before.waited || !now.waited)
        return std::min(longest_without_look, most);
    milliseconds waited = std::max(*now.waited - *before.waited, milliseconds(0));
    // of a wait that was left out while it lasted
    const milliseconds known = std::min(waited, left_out_);
    waited -= known;
    left_out_ -= known;
    const milliseconds counted = std::clamp(passed - waited, std::min(used, most), most);
    if (now.is_running)
        left_out_ += passed - counted;
    return counted;
}

/// Looks at /proc only every 50 ms, and less often the longer the process runs:
/// reading the files of all threads costs time itself.
milliseconds RunClock::elapsed() {
    constexpr milliseconds often{50};
    const auto passed = std::chrono::duration_cast<milliseconds>(Clock::now() - looked_);
    if (passed < std::max(often, counted_ / 20))
        return counted_ + passed;
    const auto stat = stat_of(process_);
    if (!stat) {
        counted_ += passed;
        last_.reset();
    } else {
        const Look now{stat->processor_time, time_waited(process_), stat->state == 'R'};
        counted_ += last_ ? could_run(passed, *last_, now) : std::min(passed, longest_without_look);
        last_ = now;
    }
    looked_ = Clock::now();
    return counted_;
}

}  // namespace rnncheck::process
