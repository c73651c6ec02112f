// prctl(2), capabilities(7) and setrlimit(2): what a process can only do to
// itself, before it calls a vendor's library.
#include "process/this_process.hpp"

#include <fcntl.h>
#include <link.h>
#include <linux/capability.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <thread>

#include "base/program.hpp"
#include "process/process_state.hpp"
#include "process/wire.hpp"

namespace rnncheck::process {

/// NVML and libcuda run as root make /dev/nvidia* with mknod and load the kernel
/// module, directly or through the set-user-id program nvidia-modprobe. A diagnosis
/// leaves no trace, so the process gives up the right to, unless requested.
static void give_up(unsigned capability) {
    prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3]{};
    if (syscall(SYS_capget, &header, sets) != 0)
        return;
    const std::uint32_t bit = ~(1u << (capability % 32));
    auto& set = sets[capability / 32];
    set.effective &= bit;
    set.permitted &= bit;
    set.inheritable &= bit;
    syscall(SYS_capset, &header, sets);
}

/// What `work` throws ends the fork: caught further up, it would go on as a second program.
[[noreturn]] static void run_and_exit(const std::function<int()>& work) noexcept {
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    _exit(work());
}

/// Creates the directory, reports its path, and waits until the other end is
/// closed, by whatever ended the process that has it. That process's own
/// children end with it (drop_privileges) and may still be writing for a moment.
[[noreturn]] static void keep_directory(std::string path, int report_to, int other_end) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, nullptr);
    // what is sent to the program's process group is not meant for this process
    setsid();
    // whoever reads our output is not to wait for this process
    for (const int stream : {0, 1, 2})
        close(stream);
    if (!mkdtemp(path.data()))
        _exit(1);
    write_line(report_to, path);
    close(report_to);
    char nothing;
    while (read(other_end, &nothing, 1) < 0 && errno == EINTR) {
    }
    std::error_code failed;
    for (int attempt = 0; attempt < 20; ++attempt) {
        std::filesystem::remove_all(path, failed);
        if (!std::filesystem::exists(path, failed))
            break;
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    _exit(0);
}

/// /proc/self/exe also works when the file was deleted or replaced; AT_EXECFN
/// is the path by which the kernel started it.
std::string own_program() {
    if (access("/proc/self/exe", X_OK) == 0)
        return "/proc/self/exe";
    const auto path = getauxval(AT_EXECFN);
    if (path)
        return reinterpret_cast<const char*>(path);
    return "/proc/self/exe";
}

/// In CLOCK_BOOTTIME, by which /proc counts: CLOCK_MONOTONIC stops while the
/// machine sleeps.
std::chrono::steady_clock::time_point start_of_program() {
    static const auto started = [] {
        const auto now = std::chrono::steady_clock::now();
        timespec since_boot{};
        const auto began = ticks_at_start(getpid());
        if (!began || clock_gettime(CLOCK_BOOTTIME, &since_boot) != 0)
            return now;
        const double boot_s =
            static_cast<double>(since_boot.tv_sec) + static_cast<double>(since_boot.tv_nsec) / 1e9;
        const double age_s =
            boot_s - static_cast<double>(*began) / static_cast<double>(sysconf(_SC_CLK_TCK));
        // a clock that jumped must not take the whole time away
        constexpr double most_s = 60;
        const auto age = std::chrono::duration<double>(std::clamp(age_s, 0.0, most_s));
        return now - std::chrono::duration_cast<std::chrono::steady_clock::duration>(age);
    }();
    return started;
}

bool is_run_by_loader() {
    const auto has_interpreter = [](dl_phdr_info* program, std::size_t, void*) {
        for (int i = 0; i < program->dlpi_phnum; ++i)
            if (program->dlpi_phdr[i].p_type == PT_INTERP)
                return 1;
        // the first one is the program itself
        return 2;
    };
    return getauxval(AT_BASE) == 0 && dl_iterate_phdr(has_interpreter, nullptr) == 1;
}

void confine_to_reading(std::size_t most_memory) {
    drop_privileges();
    const rlimit nothing{0, 0}, memory{most_memory, most_memory};
    setrlimit(RLIMIT_FSIZE, &nothing);
    setrlimit(RLIMIT_NPROC, &nothing);
#ifndef __SANITIZE_ADDRESS__  // which maps terabytes
    setrlimit(RLIMIT_DATA, &memory);
#endif
}

/// Where memory runs out, the kernel is to kill this process rather than the
/// one that reports what happened.
static void be_killed_first() {
    const Descriptor score(open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC));
    constexpr std::string_view most = "1000";
    if (score.open() && write(score.number(), most.data(), most.size()) < 0)
        return;  // no such file: nothing is lost
}

void drop_privileges(bool may_make_nodes) {
    be_killed_first();
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (may_make_nodes)
        return;
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    give_up(CAP_MKNOD);
    give_up(CAP_SYS_MODULE);
}

std::optional<int> run_in_fork(const std::function<int()>& work) {
    // where it is ignored, a child leaves no status
    const auto inherited = signal(SIGCHLD, SIG_DFL);
    const pid_t child = fork();
    if (child < 0)
        throw std::system_error(errno, std::generic_category(), "no process");
    if (child == 0)
        run_and_exit(work);
    int status = 0;
    pid_t ended = 0;
    do
        ended = waitpid(child, &status, 0);
    while (ended < 0 && errno == EINTR);
    signal(SIGCHLD, inherited);
    if (ended == child && WIFEXITED(status))
        return WEXITSTATUS(status);
    return std::nullopt;
}

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
    std::vector<char*> list;
    for (const auto& text : texts)
        list.push_back(const_cast<char*>(text.c_str()));
    list.push_back(nullptr);
    return list;
}

std::vector<std::string> directories_of_kernel() {
    return {"/proc", "/sys", "/dev"};
}

/// Windows has another name for it (windows/this_process.cpp).
const std::string crash_by_bad_memory = "SIGSEGV";

void use_bad_memory() {
    // sanitizers take it
    signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
}

/// By default each buffer is a piece of memory of its own, with a page fault
/// for every page of it and calls into the kernel that hold up all threads.
void keep_freed_memory() {
    constexpr int megabyte = 1 << 20;
    mallopt(M_MMAP_THRESHOLD, 32 * megabyte);
    mallopt(M_TRIM_THRESHOLD, 256 * megabyte);
    mallopt(M_TOP_PAD, 8 * megabyte);
}

void stay_until_ended() {
    for (;;)
        pause();
}

int exec_command(const std::vector<std::string>& arguments) {
    const auto list = pointers_to(arguments);
    execvp(list.front(), list.data());
    return errno;
}

std::string temporary_directory() {
    return directory_variable("TMPDIR").value_or("/tmp");
}

/// What is written into a pipe until its other end is closed, within a second.
static std::string line_from(const Descriptor& pipe) {
    constexpr int patience_ms = 1000;
    std::string text;
    pollfd ready{pipe.number(), POLLIN, 0};
    while (!text.ends_with('\n') && poll(&ready, 1, patience_ms) > 0 &&
           read_onto(text, pipe.number()) > 0) {
    }
    return text;
}

/// A second at most: a process that hangs in a file system does not end.
static void wait_for_end(pid_t process) {
    constexpr int patience_ms = 1000;
    for (int waited = 0; waited < patience_ms; ++waited) {
        const pid_t ended = waitpid(process, nullptr, WNOHANG);
        if (ended == process || (ended < 0 && errno != EINTR))
            return;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

/// The process that has the directory.
class PrivateDirectory::Keeper {
  public:
    Keeper() {
        int needed[2], report[2];
        if (pipe2(needed, O_CLOEXEC) != 0)
            return;
        Descriptor other_end(needed[0]);
        open_while_needed_ = Descriptor(needed[1]);
        if (pipe2(report, O_CLOEXEC) != 0)
            return;
        report_ = Descriptor(report[0]);
        Descriptor to(report[1]);
        process_ = fork();
        if (process_ != 0)
            return;
        open_while_needed_.close();
        keep_directory(temporary_directory() + "/rnncheck-XXXXXX", to.number(), other_end.number());
    }
    ~Keeper() {
        open_while_needed_.close();
        if (process_ > 0)
            wait_for_end(process_);
    }
    Keeper(const Keeper&) = delete;
    Keeper& operator=(const Keeper&) = delete;

    /// With a line end; without one where there is no directory.
    std::string path_line() const {
        if (!report_.open())
            return "";
        return line_from(report_);
    }

  private:
    pid_t process_ = -1;
    Descriptor open_while_needed_, report_;
};

PrivateDirectory::PrivateDirectory() : keeper_(std::make_unique<Keeper>()) {
    std::string path = keeper_->path_line();
    if (!path.ends_with('\n'))
        return;
    path.pop_back();
    path_ = path;
}

PrivateDirectory::~PrivateDirectory() = default;

}  // namespace rnncheck::process
