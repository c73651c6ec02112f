#include "process/processors.hpp"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include "base/text.hpp"

namespace rnncheck::process {

static int processors_of_mask() {
    for (int possible = CPU_SETSIZE; possible <= (1 << 16); possible *= 2) {
        cpu_set_t* const mask = CPU_ALLOC(possible);
        if (!mask) return 1;
        const std::size_t bytes = CPU_ALLOC_SIZE(possible);
        const bool known = sched_getaffinity(0, bytes, mask) == 0;  // EINVAL: the kernel's mask is longer
        const int count = known ? CPU_COUNT_S(bytes, mask) : 0;
        CPU_FREE(mask);
        if (known) return std::max(count, 1);
    }
    return 1;
}

/// The number that a text begins with; nothing for "max".
static std::optional<long long> number_in(std::string_view text) {
    long long number = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc()) return {};
    return number;
}

constexpr double no_quota = std::numeric_limits<double>::infinity();

/// Quota and period are in microseconds; a quota of "max" or -1 is none.
static double quota_of(std::string_view quota, std::string_view period) {
    const long long of_quota = number_in(quota).value_or(-1), of_period = number_in(period).value_or(-1);
    if (of_quota <= 0 || of_period <= 0) return no_quota;
    return static_cast<double>(of_quota) / static_cast<double>(of_period);
}

static double quota_of_group(const Root& root, const std::string& directory, bool second_version) {
    const auto text = [&](const char* name) { return root.read(directory + '/' + name, 1 << 12).value_or(""); };
    if (!second_version) return quota_of(text("cpu.cfs_quota_us"), text("cpu.cfs_period_us"));
    const std::vector<std::string> words = split(text("cpu.max"), ' ');
    return words.size() == 2 ? quota_of(words[0], words[1]) : no_quota;
}

/// The smallest quota from a group up to the root of its hierarchy. In a container the group of /proc may not be
/// visible, while the container's own is mounted as the root.
static double quota_from(const Root& root, const std::string& mount, std::string group, bool second_version) {
    double smallest = quota_of_group(root, mount, second_version);
    for (; group.starts_with('/'); group.erase(group.rfind('/')))
        smallest = std::min(smallest, quota_of_group(root, mount + group, second_version));
    return smallest;
}

/// Lines of /proc/self/cgroup: "4:cpu,cpuacct:/group" in version 1 of control groups, "0::/group" in version 2
/// (cgroups(7)).
static double quota_of_process(const Root& root) {
    double smallest = no_quota;
    for (const std::string& line : split(root.read("/proc/self/cgroup", 1 << 16).value_or(""), '\n')) {
        const std::size_t first = line.find(':'), second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos) continue;
        const std::string controllers = line.substr(first + 1, second - first - 1);
        const bool second_version = controllers.empty();
        if (!second_version && !contains(',' + controllers + ',', ",cpu,")) continue;
        const std::string mount = second_version ? "/sys/fs/cgroup" : "/sys/fs/cgroup/cpu";
        smallest = std::min(smallest, quota_from(root, mount, line.substr(second + 1), second_version));
    }
    return smallest;
}

int usable_processors(const Root& root) {
    const int of_mask = processors_of_mask();
    const double quota = quota_of_process(root);
    return quota < of_mask ? std::max(static_cast<int>(quota), 1) : of_mask;
}

}  // namespace rnncheck::process
