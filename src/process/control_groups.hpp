// The control groups of this process: cgroups(7), versions 1 and 2.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.hpp"

namespace rnncheck::process {

/// A directory of the control groups' file system.
struct ControlGroup {
    std::string directory;        ///< "/sys/fs/cgroup/memory/docker/4711"
    bool second_version = false;  ///< its files are those of version 2

    /// A file of it: "max" of the controller "memory.max"; nothing where it is not there.
    std::optional<std::string> text(const Root& root, const char* name) const;
};

/// The groups of a controller ("cpu", "memory", "pids") that a process belongs
/// to, from the innermost to the root of its hierarchy. In a container the
/// group of /proc may not be visible, while the container's own is mounted as
/// the root, which is first. `process` is a number, or "self".
std::vector<ControlGroup> control_groups(
    const Root& root, std::string_view controller, std::string_view process = "self");

/// The number that a text begins with; nothing for "max".
std::optional<long long> number_in(std::string_view text);

}  // namespace rnncheck::process
