// Both versions of cgroups(7) are mounted side by side on some systems; each
// line of /proc/PROCESS/cgroup shows which one it is of.
#include "process/control_groups.hpp"

#include <charconv>

#include "base/text.hpp"

namespace rnncheck::process {

std::optional<long long> number_in(std::string_view text) {
    long long number = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc())
        return {};
    return number;
}

std::optional<std::string> ControlGroup::text(const Root& root, const char* name) const {
    return root.read(directory + '/' + name, 1 << 12);
}

/// Lines of /proc/PROCESS/cgroup: "4:cpu,cpuacct:/group" in version 1 of
/// control groups, "0::/group" in version 2.
std::vector<ControlGroup> control_groups(
    const Root& root, std::string_view controller, std::string_view process) {
    std::vector<ControlGroup> groups;
    const std::string lines = root.read(concat("/proc/", process, "/cgroup"), 1 << 16).value_or("");
    for (const std::string& line : split(lines, '\n')) {
        const std::size_t first = line.find(':'), second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos)
            continue;
        const std::string controllers = line.substr(first + 1, second - first - 1);
        const bool second_version = controllers.empty();
        if (!second_version && !contains(',' + controllers + ',', concat(',', controller, ',')))
            continue;
        std::string mount = "/sys/fs/cgroup";
        if (!second_version)
            mount += concat('/', controller);
        groups.push_back({mount, second_version});
        for (std::string group = line.substr(second + 1); group.starts_with('/') && group != "/";
             group.erase(group.rfind('/')))
            groups.push_back({mount + group, second_version});
    }
    return groups;
}

}  // namespace rnncheck::process
