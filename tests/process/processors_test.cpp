#include "process/processors.hpp"

#include <sched.h>

#include <thread>

#include "support/catch.hpp"
#include "support/fake_root.hpp"

using namespace rnncheck;
using namespace rnncheck::process;
using rnncheck::test::FakeRoot;

namespace {

/// Of the machine that runs the tests, without any quota.
int in_mask() {
    return usable_processors(FakeRoot().root());
}

}  // namespace

TEST_CASE("usable processors: the affinity mask of the thread") {
    const int all = in_mask();
    CHECK(all >= 1);
    int with_one = 0;
    std::thread([&] {
        cpu_set_t mask;
        sched_getaffinity(0, sizeof mask, &mask);
        int first = 0;
        while (!CPU_ISSET(first, &mask))
            ++first;
        CPU_ZERO(&mask);
        CPU_SET(first, &mask);
        sched_setaffinity(0, sizeof mask, &mask);
        with_one = in_mask();
    }).join();
    CHECK(with_one == 1);
}

TEST_CASE("usable processors: quotas of control groups, version 2") {
    FakeRoot machine;
    machine.file("/proc/self/cgroup", "0::/kubepods/pod1/container\n");
    CHECK(usable_processors(machine.root()) == in_mask());
    machine.file("/sys/fs/cgroup/kubepods/pod1/container/cpu.max", "max 100000\n");
    CHECK(usable_processors(machine.root()) == in_mask());
    machine.file("/sys/fs/cgroup/kubepods/pod1/cpu.max", "150000 100000\n");
    CHECK(usable_processors(machine.root()) == 1);
    machine.file("/sys/fs/cgroup/kubepods/pod1/cpu.max", "20000 100000\n");
    CHECK(usable_processors(machine.root()) == 1);
    machine.file("/sys/fs/cgroup/kubepods/pod1/cpu.max", "100000000 100000\n");
    CHECK(usable_processors(machine.root()) == in_mask());
    machine.file(
        "/sys/fs/cgroup/cpu.max",
        "100000 100000\n");  // a container sees its own group as the root
    CHECK(usable_processors(machine.root()) == 1);
}

TEST_CASE("usable processors: quotas of control groups, version 1") {
    FakeRoot machine;
    machine.file("/proc/self/cgroup", "12:cpuset:/\n4:cpu,cpuacct:/docker/1\n0::/\n");
    CHECK(usable_processors(machine.root()) == in_mask());
    machine.file("/sys/fs/cgroup/cpu/docker/1/cpu.cfs_period_us", "100000\n");
    machine.file("/sys/fs/cgroup/cpu/docker/1/cpu.cfs_quota_us", "-1\n");
    CHECK(usable_processors(machine.root()) == in_mask());
    machine.file("/sys/fs/cgroup/cpu/docker/1/cpu.cfs_quota_us", "100000\n");
    CHECK(usable_processors(machine.root()) == 1);
}

TEST_CASE("usable processors: what cannot be read is no quota") {
    for (const char* const content :
         {"", ":::\n", "0::relative\n", "no colon\n0:cpu\n", "0::/a\n\0"}) {
        FakeRoot machine;
        machine.file("/proc/self/cgroup", content);
        machine.file("/sys/fs/cgroup/a/cpu.max", "many of them\n");
        machine.file("/sys/fs/cgroup/cpu.max", "1\n");
        CHECK(usable_processors(machine.root()) == in_mask());
    }
}
