#include "commands/command_end.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "base/if_any.hpp"
#include "base/lists.hpp"
#include "base/program.hpp"
#include "base/text.hpp"
#include "process/process_state.hpp"

namespace rnncheck {

namespace {

/// 27 of "oom_kill 27"; 0 without the word.
long long number_after(const std::string& text, const std::string& word) {
    const auto at = text.find(word + ' ');
    if (at == std::string::npos)
        return 0;
    return std::atoll(text.c_str() + at + word.size() + 1);
}

/// Version 2 has memory.events, version 1 memory.oom_control (kernel documentation,
/// admin-guide/cgroup-v2 and cgroup-v1/memory).
std::optional<MemoryGroup> memory_of(const process::ControlGroup& group) {
    const Root root;
    const char *file_of_events = "memory.oom_control", *file_of_limit = "memory.limit_in_bytes";
    if (group.second_version) {
        file_of_events = "memory.events";
        file_of_limit = "memory.max";
    }
    const auto events = group.text(root, file_of_events);
    if (!events)
        return std::nullopt;
    const auto limit = group.text(root, file_of_limit);
    MemoryGroup memory{
        group, number_after(*events, "oom_kill"), std::string(trim(limit.value_or("")))};
    constexpr std::size_t digits_of_no_limit = 19;  // version 1 writes a number near 2^63
    if (memory.limit == "max" || memory.limit.size() >= digits_of_no_limit)
        memory.limit.clear();
    return memory;
}

/// The process's group and those around it, the innermost first: a kill in it counts in those
/// around it as well.
std::vector<MemoryGroup> memory_groups(pid_t process) {
    auto groups = process::control_groups(Root(), "memory", std::to_string(process));
    if (!groups.empty())
        std::ranges::rotate(groups, groups.begin() + 1);  // the root is first
    std::vector<MemoryGroup> found;
    for (const process::ControlGroup& group : groups)
        if (const auto memory = memory_of(group))
            found.push_back(*memory);
    return found;
}

/// NVIDIA's driver: https://docs.nvidia.com/deploy/xid-errors/
bool is_about_gpu(const std::string& line) {
    return contains(line, "NVRM: Xid");
}

/// "python[4711]: segfault at 8 ip ...", "Killed process 4711 (python)", "NVRM: Xid
/// (PCI:0000:01:00): 13, pid=4711,
/// ...". -1 if the line names none.
pid_t process_in(const std::string& line) {
    for (const char* before : {"Killed process ", "pid=", "["})
        if (const auto at = line.find(before); at != std::string::npos)
            if (const int number = std::atoi(line.c_str() + at + std::strlen(before)); number > 0)
                return number;
    return -1;
}

/// Lines of the x86 fault handlers (arch/x86/kernel/traps.c, arch/x86/mm/fault.c) and of the
/// kernel's killer when memory runs out (mm/oom_kill.c).
bool is_end(const std::string& line) {
    return contains(line, "segfault at") || contains(line, "general protection") ||
           contains(line, "traps:") || contains(line, "Killed process") ||
           contains(line, "trap invalid opcode");
}

/// "libcudnn.so.9" of "segfault at 8 ip ... error 4 in libcudnn.so.9[87dd,...]".
std::string library_in(const std::string& line) {
    const auto at = line.rfind(" in ");
    std::string rest;
    if (at != std::string::npos)
        rest = line.substr(at + 4);
    return rest.substr(0, rest.find('['));
}

/// As a shell writes it.
std::string shell_word_of(int signal) {
    switch (signal) {
        case SIGSEGV:
            return "Segmentation fault (core dumped)";
        case SIGABRT:
            return "Aborted (core dumped)";
        case SIGBUS:
            return "Bus error (core dumped)";
        case SIGILL:
            return "Illegal instruction (core dumped)";
        case SIGFPE:
            return "Floating point exception (core dumped)";
        case SIGKILL:
            return "Killed";
        default:
            return "";
    }
}

/// "2.5 s", "12 s".
std::string seconds_in_words(double seconds) {
    if (seconds < 10)
        return std::to_string(seconds).substr(0, 3) + " s";
    return std::to_string(static_cast<int>(seconds)) + " s";
}

/// What the scheduler calls this job.
std::string job_in_words() {
    const std::pair<const char*, const char*> schedulers[] = {
        {"SLURM_JOB_ID", "Slurm"},
        {"PBS_JOBID", "PBS"},
        {"LSB_JOBID", "LSF"},
        {"JOB_ID", "Grid Engine"}};
    for (const auto& [variable, name] : schedulers)
        if (const auto id = environment_variable(variable))
            return concat(name, " job ", *id);
    if (environment_variable("KUBERNETES_SERVICE_HOST"))
        return "Kubernetes";
    return "";
}

}  // namespace

CommandObserver::CommandObserver()
    : kernel_log_(::open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {
    // What the kernel wrote before the command was started is not about it.
    if (kernel_log_.open())
        ::lseek(kernel_log_.number(), 0, SEEK_END);
}

std::chrono::milliseconds CommandObserver::look(pid_t command) {
    const auto until_next = look_at_processes(command);
    return std::min(until_next, look_at_gpus());
}

/// As often as ProcessWatch requests, because each look costs.
std::chrono::milliseconds CommandObserver::look_at_processes(pid_t command) {
    constexpr std::chrono::milliseconds after_start(50);  // most commands have loaded nothing yet
    const auto now = std::chrono::steady_clock::now();
    if (now < next_look_)
        return std::chrono::ceil<std::chrono::milliseconds>(next_look_ - now);
    const bool is_first = command_ < 0;
    command_ = command;
    // A launcher may move the command into a group of its own after it was started.
    for (const MemoryGroup& group : memory_groups(command))
        if (!is_known(group))
            groups_.push_back(group);
    auto wait = after_start;
    if (!is_first)
        wait = processes_.look(command);
    next_look_ = std::chrono::steady_clock::now() + wait;
    return wait;
}

std::chrono::milliseconds CommandObserver::look_at_gpus() {
    // Some libraries load the driver and never use it; the query itself opens the GPU, which
    // DeviceOpens watches.
    if (processes_.devices().empty())
        return std::chrono::hours(1);
    return gpu_memory_.look([this](pid_t process) { return belongs_to_command(process); });
}

bool CommandObserver::belongs_to_command(pid_t process) const {
    return process == command_ || processes_.has_seen(process);
}

void CommandObserver::stop() {
    gpu_memory_.stop([this](pid_t process) { return belongs_to_command(process); });
}

std::vector<std::string> CommandObserver::kernel_lines() {
    std::vector<std::string> lines;
    for (std::string record; kernel_log_.open() && read_onto(record, kernel_log_.number()) > 0;
         record.clear()) {
        // "6,1234,5678,-;text\n KEY=value":
        // https://www.kernel.org/doc/Documentation/ABI/testing/dev-kmsg
        const std::string line = record.substr(std::min(record.find(';') + 1, record.size()));
        const std::string first = line.substr(0, line.find('\n'));
        if (concerns_command(first, [this](pid_t process) { return belongs_to_command(process); }))
            lines.push_back(first);
    }
    return lines;
}

bool concerns_command(
    const std::string& kernel_line, const std::function<bool(pid_t)>& belongs_to_command) {
    if (!is_about_gpu(kernel_line) && !is_end(kernel_line))
        return false;
    const pid_t process = process_in(kernel_line);
    // Some Xids name no process: the GPU itself failed, for every program that uses it.
    if (process < 0)
        return is_about_gpu(kernel_line);
    return belongs_to_command(process);
}

bool CommandObserver::is_known(const MemoryGroup& group) const {
    return std::ranges::any_of(groups_, [&](const MemoryGroup& known) {
        return known.group.directory == group.group.directory;
    });
}

std::optional<MemoryGroup> CommandObserver::group_out_of_memory() const {
    for (const MemoryGroup& before : groups_)
        if (const auto now = memory_of(before.group);
            now && now->kills > before.kills && !now->limit.empty())
            return now;
    return std::nullopt;
}

bool has_failed(const process::CommandEnd& end) {
    if (end.passed_limit)
        return true;
    // Ctrl-C, and `command | head`.
    if (end.signal)
        return *end.signal != SIGINT && *end.signal != SIGPIPE;
    return end.exit_code != 0;
}

std::string in_words(const process::CommandEnd& end) {
    const std::string after = " after " + seconds_in_words(end.seconds);
    if (end.passed_limit)
        return "the time limit" + after;
    if (end.signal)
        return process::signal_name(*end.signal) + after;
    if (end.exit_code)
        return concat("exit code ", *end.exit_code, after);
    return "an unknown exit code" + after;
}

std::string as_log(
    const process::CommandEnd& end,
    const std::vector<std::string>& kernel_lines,
    const std::optional<MemoryGroup>& group) {
    std::string log = join(kernel_lines, "\n");
    const bool is_named = std::ranges::any_of(
        kernel_lines, [](auto& line) { return contains(line, "Killed process"); });
    // Where the kernel's log is closed to this user, the group still counts its kills.
    if (group && !is_named)
        log += "\noom_kill: Memory cgroup out of memory";
    // A signal that somebody sent is no crash, though a shell would print the same.
    if (end.signal && !end.sent && !end.passed_limit)
        log += '\n' + shell_word_of(*end.signal);
    return log;
}

std::vector<std::string> sentences_about(
    const process::CommandEnd& end,
    const std::vector<std::string>& kernel_lines,
    const std::optional<MemoryGroup>& group) {
    std::vector<std::string> sentences;
    if (group)
        sentences.push_back(
            "the kernel killed a process because the memory limit of " + group->group.directory +
            ", " + group->limit + " bytes, was reached; request more memory or use less");
    for (const std::string& line : kernel_lines)
        sentences.push_back("kernel log: " + line);
    for (const std::string& line : kernel_lines)
        if (const std::string library = library_in(line);
            contains(line, "segfault") && !library.empty())
            sentences.push_back("the crash was in " + library);
    if (end.sent && end.signal == end.sent->signal) {
        const std::string job = job_in_words();
        std::string sender = end.sent->sender;
        if (sender.empty())
            sender = "an unknown process";
        sentences.push_back(
            process::signal_name(end.sent->signal) + " was sent by " + sender +
            if_any(", in ", job, ": a time limit, a preemption or a cancellation"));
    }
    if (end.passed_limit && end.hang) {
        const Hang& hang = *end.hang;
        sentences.push_back(
            "when the time limit of --time-limit passed, the command was " + hang.state +
            if_any(" in ", hang.kernel_function) +
            if_any(", waiting for the file system of ", hang.file));
    }
    return sentences;
}

}  // namespace rnncheck
