// The count decides how many threads compute references: more than the quota
// would only wait for each other.
#include "process/processors.hpp"

#include <sched.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "base/text.hpp"
#include "process/control_groups.hpp"

namespace rnncheck::process {

/// sched_getaffinity(2) takes no mask smaller than the kernel's, whose size is
/// not known beforehand: it is doubled until it fits.
static int processors_of_mask() {
    for (int possible = CPU_SETSIZE; possible <= (1 << 16); possible *= 2) {
        cpu_set_t* const mask = CPU_ALLOC(possible);
        if (!mask)
            return 1;
        const std::size_t bytes = CPU_ALLOC_SIZE(possible);
        // EINVAL: the kernel's mask is longer
        const bool known = sched_getaffinity(0, bytes, mask) == 0;
        int count = 0;
        if (known)
            count = CPU_COUNT_S(bytes, mask);
        CPU_FREE(mask);
        if (known)
            return std::max(count, 1);
    }
    return 1;
}

constexpr double no_quota = std::numeric_limits<double>::infinity();

/// Quota and period are in microseconds; a quota of "max" or -1 is none.
static double quota_of(std::string_view quota, std::string_view period) {
    const long long of_quota = number_in(quota).value_or(-1),
                    of_period = number_in(period).value_or(-1);
    if (of_quota <= 0 || of_period <= 0)
        return no_quota;
    return static_cast<double>(of_quota) / static_cast<double>(of_period);
}

static double quota_of_group(const Root& root, const ControlGroup& group) {
    const auto text = [&](const char* name) { return group.text(root, name).value_or(""); };
    if (!group.second_version)
        return quota_of(text("cpu.cfs_quota_us"), text("cpu.cfs_period_us"));
    const std::vector<std::string> words = split(text("cpu.max"), ' ');
    if (words.size() == 2)
        return quota_of(words[0], words[1]);
    return no_quota;
}

static double quota_of_process(const Root& root) {
    double smallest = no_quota;
    for (const ControlGroup& group : control_groups(root, "cpu"))
        smallest = std::min(smallest, quota_of_group(root, group));
    return smallest;
}

int usable_processors(const Root& root) {
    const int of_mask = processors_of_mask();
    const double quota = quota_of_process(root);
    if (quota < of_mask)
        return std::max(static_cast<int>(quota), 1);
    return of_mask;
}

}  // namespace rnncheck::process
