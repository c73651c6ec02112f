#include "process/limits.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "facts/queries.hpp"
#include "support/catch.hpp"
#include "support/fake_root.hpp"

using namespace rnncheck;
using namespace rnncheck::process;
using rnncheck::test::FakeRoot;

namespace {

std::optional<ResourceLimit> limit_of(const Root& root, LimitKind kind) {
    for (const ResourceLimit& limit : resource_limits(root))
        if (limit.kind == kind && !limit.place.starts_with("RLIMIT"))
            return limit;
    return std::nullopt;
}

ProbeRun run_that(ProbeEnd end, const char* signal = nullptr, std::vector<CallResult> failed = {}) {
    ProbeRun run;
    run.probe = "cudnn_library";
    run.end = end;
    if (signal)
        run.signal = signal;
    run.failed_calls = std::move(failed);
    return run;
}

/// What a process with this limit finds behind a run.
std::optional<LimitKind> behind(decltype(RLIMIT_AS) resource, rlim_t value, const ProbeRun& run) {
    const pid_t child = fork();
    if (child == 0) {
        const rlimit limit{value, value};
        setrlimit(resource, &limit);
        const auto found = LimitWatch().behind(run);
        _exit(found ? static_cast<int>(found->kind) : 99);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status) == 99 ? std::nullopt
                                     : std::optional(static_cast<LimitKind>(WEXITSTATUS(status)));
}

constexpr rlim_t mib = 1 << 20;

}  // namespace

TEST_CASE("limits of control groups, version 2") {
    FakeRoot machine;
    machine.file("/proc/self/cgroup", "0::/kubepods/pod1\n");
    CHECK_FALSE(limit_of(machine.root(), LimitKind::memory));
    machine.file("/sys/fs/cgroup/kubepods/pod1/memory.max", "max\n");
    CHECK_FALSE(limit_of(machine.root(), LimitKind::memory));
    machine.file("/sys/fs/cgroup/kubepods/memory.max", "134217728\n");
    machine.file("/sys/fs/cgroup/kubepods/memory.peak", "1048576\n");
    machine.file(
        "/sys/fs/cgroup/kubepods/memory.events",
        "low 0\nmax 7\noom 2\noom_kill 3\noom_group_kill 0\n");
    machine.file("/sys/fs/cgroup/pids.max", "64\n");
    const auto memory = limit_of(machine.root(), LimitKind::memory);
    REQUIRE(memory);
    CHECK(memory->value == 134217728);
    CHECK(memory->peak == 1048576);
    CHECK(memory->times_reached == 3);
    CHECK(in_words(*memory) == "the memory limit of the control group (128 MiB)");
    CHECK(limit_of(machine.root(), LimitKind::processes)->value == 64);
}

TEST_CASE("limits of control groups, version 1") {
    FakeRoot machine;
    machine.file("/proc/self/cgroup", "4:memory:/docker/1\n0::/\n");
    machine.file("/sys/fs/cgroup/memory/docker/1/memory.limit_in_bytes", "9223372036854771712\n");
    CHECK_FALSE(limit_of(machine.root(), LimitKind::memory));
    machine.file("/sys/fs/cgroup/memory/docker/1/memory.limit_in_bytes", "67108864\n");
    machine.file(
        "/sys/fs/cgroup/memory/docker/1/memory.oom_control",
        "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n");
    const auto memory = limit_of(machine.root(), LimitKind::memory);
    REQUIRE(memory);
    CHECK(memory->value == 67108864);
    CHECK(memory->times_reached == 2);
    CHECK(memory->place == "memory.limit_in_bytes");
}

TEST_CASE("a filter of system calls is a limit, too") {
    FakeRoot machine;
    machine.file("/proc/self/status", "Name:\tx\nSeccomp:\t0\nSeccomp_filters:\t0\n");
    CHECK_FALSE(limit_of(machine.root(), LimitKind::system_calls));
    machine.file("/proc/self/status", "Name:\tx\nSeccomp:\t2\nSeccomp_filters:\t1\n");
    CHECK(limit_of(machine.root(), LimitKind::system_calls));
}

TEST_CASE("a crash under a tight limit is blamed on the limit") {
    const ProbeRun crash = run_that(ProbeEnd::crashed, "SIGSEGV");
    CHECK(behind(RLIMIT_AS, 1024 * mib, crash) == LimitKind::address_space);
    CHECK(behind(RLIMIT_DATA, 512 * mib, crash) == LimitKind::data);
    CHECK(behind(RLIMIT_STACK, mib, crash) == LimitKind::stack);
    const std::vector<CallResult> without_memory = {
        {"dlopen(libcudnn.so.9)", -1, "libcudnn.so.9: failed to map segment from shared object"}};
    CHECK(
        behind(RLIMIT_AS, 1024 * mib, run_that(ProbeEnd::finished, nullptr, without_memory)) ==
        LimitKind::address_space);
    const std::vector<CallResult> without_part = {
        {"cudnnAdvVersionCheck", 3009, "SUBLIBRARY_UNAVAILABLE"}};
    CHECK(
        behind(RLIMIT_AS, 128 * mib, run_that(ProbeEnd::finished, nullptr, without_part)) ==
        LimitKind::address_space);
    const std::vector<CallResult> without_files = {
        {"dlopen(libcuda.so.1)", -1, "libcuda.so.1: Too many open files"}};
    CHECK(
        behind(RLIMIT_NOFILE, 64, run_that(ProbeEnd::finished, nullptr, without_files)) ==
        LimitKind::open_files);
}

TEST_CASE("what no limit explains is not blamed on one") {
    const std::vector<CallResult> missing = {
        {"dlopen(libcudnn.so.9)", -1, "cannot open shared object file"}};
    CHECK_FALSE(behind(RLIMIT_AS, 1024 * mib, run_that(ProbeEnd::finished)));
    CHECK_FALSE(behind(RLIMIT_AS, 1024 * mib, run_that(ProbeEnd::finished, nullptr, missing)));
    CHECK_FALSE(behind(
        RLIMIT_AS,
        1024 * mib,
        run_that(ProbeEnd::finished, nullptr, {{"cuInit", 100, "no device"}})));
    CHECK_FALSE(behind(
        RLIMIT_AS, 1024 * mib, run_that(ProbeEnd::finished, nullptr, {{"cuMemAlloc_v2", 2, ""}})));
    CHECK_FALSE(behind(RLIMIT_DATA, 8192 * mib, run_that(ProbeEnd::crashed, "SIGSEGV")));
    CHECK_FALSE(behind(RLIMIT_STACK, 8 * mib, run_that(ProbeEnd::crashed, "SIGSEGV")));
    CHECK_FALSE(behind(RLIMIT_STACK, mib, run_that(ProbeEnd::crashed, "SIGABRT")));
    CHECK_FALSE(behind(
        RLIMIT_CORE,
        0,
        run_that(ProbeEnd::killed, "SIGKILL")));  // nobody counted a kill for memory
    CHECK_FALSE(behind(RLIMIT_CORE, 0, run_that(ProbeEnd::crashed, "SIGSEGV")));
}
