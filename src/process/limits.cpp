// A limit is named as the reason only where something shows it: the kernel's
// counter, the signal, or the library's own words.
#include "process/limits.hpp"

#include <sys/resource.h>

#include <algorithm>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "process/control_groups.hpp"

namespace rnncheck::process {

namespace {

/// The files of a controller: https://docs.kernel.org/admin-guide/cgroup-v2.html,
/// cgroup-v1/memory.html, cgroup-v1/pids.html
struct Controller {
    const char* name;
    LimitKind kind;
    bool second_version;
    const char *limit, *peak, *events, *event;
};
constexpr Controller controllers[] = {
    {"memory", LimitKind::memory, true, "memory.max", "memory.peak", "memory.events", "oom_kill "},
    {"memory",
     LimitKind::memory,
     false,
     "memory.limit_in_bytes",
     "memory.max_usage_in_bytes",
     "memory.oom_control",
     "oom_kill "},
    {"pids", LimitKind::processes, true, "pids.max", "pids.peak", "pids.events", "max "},
    {"pids", LimitKind::processes, false, "pids.max", "pids.peak", "pids.events", "max "}};

struct Rlimit {
    decltype(RLIMIT_AS) resource;
    LimitKind kind;
    const char* name;
};
constexpr Rlimit rlimits[] = {
    {RLIMIT_AS, LimitKind::address_space, "RLIMIT_AS"},
    {RLIMIT_DATA, LimitKind::data, "RLIMIT_DATA"},
    {RLIMIT_STACK, LimitKind::stack, "RLIMIT_STACK"},
    {RLIMIT_NPROC, LimitKind::processes, "RLIMIT_NPROC"},
    {RLIMIT_NOFILE, LimitKind::open_files, "RLIMIT_NOFILE"}};

/// version 1 has the largest number of pages for no limit
constexpr std::int64_t unlimited = std::int64_t{1} << 60;
constexpr std::int64_t mebibyte = std::int64_t{1} << 20;

std::optional<std::int64_t> number_of(
    const Root& root, const ControlGroup& group, const char* file) {
    const auto text = group.text(root, file);
    if (!text)
        return std::nullopt;
    return number_in(*text);
}

/// "oom_kill 3" among the lines of a file.
std::optional<std::int64_t> count_of(
    const Root& root, const ControlGroup& group, const Controller& of) {
    const auto text = group.text(root, of.events);
    for (const std::string& line : split(text.value_or(""), '\n'))
        if (line.starts_with(of.event))
            return number_in(std::string_view(line).substr(std::string_view(of.event).size()));
    return std::nullopt;
}

/// The tightest of the groups around this process.
std::optional<ResourceLimit> limit_of(const Root& root, const Controller& controller) {
    std::optional<ResourceLimit> tightest;
    for (const ControlGroup& group : control_groups(root, controller.name)) {
        if (group.second_version != controller.second_version)
            continue;
        const auto value = number_of(root, group, controller.limit);
        if (!value || *value >= unlimited || (tightest && tightest->value <= *value))
            continue;
        tightest = {
            controller.kind,
            *value,
            {},
            number_of(root, group, controller.peak),
            count_of(root, group, controller),
            controller.limit};
    }
    return tightest;
}

std::optional<ResourceLimit> limit_of(const Rlimit& of) {
    rlimit limit{};
    if (getrlimit(of.resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return std::nullopt;
    ResourceLimit found{of.kind, static_cast<std::int64_t>(limit.rlim_cur), {}, {}, {}, of.name};
    if (limit.rlim_max != RLIM_INFINITY)
        found.hard = static_cast<std::int64_t>(limit.rlim_max);
    return found;
}

/// A filter of system calls (mode 2) ends a process with SIGSYS:
/// seccomp(2), proc_pid_status(5).
std::optional<ResourceLimit> limit_on_calls(const Root& root) {
    const std::string status = root.read("/proc/self/status", 1 << 14).value_or("");
    if (!contains(status, "\nSeccomp:\t2"))
        return std::nullopt;
    return ResourceLimit{LimitKind::system_calls, {}, {}, {}, {}, "/proc/self/status"};
}

/// Of all groups around this process together; nothing where no group counts them.
std::optional<std::int64_t> kills_for_memory(const Root& root) {
    std::optional<std::int64_t> kills;
    for (const Controller& controller : controllers) {
        if (controller.kind != LimitKind::memory)
            continue;
        for (const ControlGroup& group : control_groups(root, controller.name))
            if (const auto count = count_of(root, group, controller))
                kills = kills.value_or(0) + *count;
    }
    return kills;
}

/// All that a run shows of what failed.
std::string words_of(const ProbeRun& run) {
    std::string words = run.reason.value_or("") + '\n' + run.output_tail.value_or("");
    for (const CallResult& call : run.failed_calls)
        words += '\n' + call.text;
    return words;
}

/// In the words of libc and its loader; "cannot allocate memory in static
/// TLS block" is another matter.
bool speaks_of_memory(const std::string& words) {
    return contains(words, "Cannot allocate memory") ||
           contains(words, "failed to map segment from shared object") ||
           contains(words, "cannot map zero-fill pages") || contains(words, "bad_alloc") ||
           contains(words, "Resource temporarily unavailable");  // no stack for a thread
}

/// A library returned what it returns, besides other reasons, if it gets no memory
/// of the host: CUDA (cuda.h) out of memory, failed system call, unknown; NVML
/// (nvml.h) memory, insufficient resources, unknown; cuDNN (cudnn.h, cudnn_graph.h)
/// not initialized, internal error, sublibrary not loaded or not available.
bool may_lack_memory(const CallResult& call) {
    constexpr std::int64_t cuda[] = {2, 304, 999}, nvml[] = {20, 23, 999},
                           cudnn[] = {1, 4, 1001, 1008, 3009, 4000};
    // the memory of the GPU
    if (call.call.starts_with("cuMemAlloc"))
        return false;
    if (call.call.starts_with("cudnn"))
        return is_out_of_memory(call) || includes(cudnn, call.code);
    if (call.call.starts_with("nvml"))
        return includes(nvml, call.code);
    if (call.call.starts_with("nvrtc"))
        return call.code == 1;
    return call.call.starts_with("cu") && includes(cuda, call.code);
}

/// Not `killed`: that signal came from outside.
bool ended_by_itself(const ProbeRun& run) {
    return run.end == ProbeEnd::crashed || run.end == ProbeEnd::quit_early;
}

bool could_not_start(const ProbeRun& run) {
    return run.end == ProbeEnd::not_started;
}

}  // namespace

std::vector<ResourceLimit> resource_limits(const Root& root) {
    std::vector<ResourceLimit> limits;
    const auto add = [&](std::optional<ResourceLimit> limit) {
        if (limit)
            limits.push_back(std::move(*limit));
    };
    for (const Controller& controller : controllers)
        add(limit_of(root, controller));
    for (const Rlimit& limit : rlimits)
        add(limit_of(limit));
    add(limit_on_calls(root));
    return limits;
}

/// Counted before the children are started, so that only kills during the survey count.
LimitWatch::LimitWatch() : kills_before_(kills_for_memory({})) {
}

std::optional<ResourceLimit> LimitWatch::behind(const ProbeRun& run) const {
    if (run.end == ProbeEnd::finished && run.failed_calls.empty())
        return std::nullopt;
    const std::vector<ResourceLimit> limits = resource_limits();
    const auto limit_on = [&](LimitKind kind, std::int64_t below) -> const ResourceLimit* {
        return find_where(limits, [&](const ResourceLimit& one) {
            return one.kind == kind && (!one.value || *one.value < below);
        });
    };
    // A program with PyTorch and cuDNN has some 3 GiB of data; 8 MiB of
    // stack is the default of Linux.
    constexpr std::int64_t enough_data = 4096 * mebibyte, enough_stack = 8 * mebibyte,
                           few_files = 1024;
    const std::string words = words_of(run);
    const bool lacks_memory =
        speaks_of_memory(words) || std::ranges::any_of(run.failed_calls, may_lack_memory);
    const bool overflowed = run.signal == "SIGSEGV" || run.signal == "SIGBUS";
    const ResourceLimit* limit = nullptr;
    const auto look = [&](bool is_sign, LimitKind kind, std::int64_t below = unlimited) {
        if (is_sign && !limit)
            limit = limit_on(kind, below);
    };
    look(run.end == ProbeEnd::killed && kills_for_memory({}) > kills_before_, LimitKind::memory);
    look(contains(words, "Too many open files"), LimitKind::open_files, few_files);
    look(ended_by_itself(run) || lacks_memory, LimitKind::address_space);
    look(ended_by_itself(run) || lacks_memory, LimitKind::data, enough_data);
    look(contains(words, "Resource temporarily unavailable"), LimitKind::processes);
    look(speaks_of_memory(words) && could_not_start(run), LimitKind::memory);
    look(ended_by_itself(run) && overflowed, LimitKind::stack, enough_stack);
    look(run.signal == "SIGSYS", LimitKind::system_calls);
    if (!limit)
        return std::nullopt;
    return *limit;
}

}  // namespace rnncheck::process
