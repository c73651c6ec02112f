// What this process and its children may use at most, and whether a child
// failed because it had used that up.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/files.hpp"
#include "facts/common.hpp"
#include "facts/machine.hpp"

namespace rnncheck::process {

/// The limits of this process, which its children inherit: of its control
/// groups and of setrlimit(2). Where there is no limit, or none is shown, there
/// is no item. `root` is for tests.
std::vector<ResourceLimit> resource_limits(const Root& root = {});

/// Distinguishes limits of this process from faults of the libraries that its
/// children call.
class LimitWatch {
  public:
    LimitWatch();

    /// The limit because of which this run's process ended or its calls failed;
    /// nothing where none did, or another reason is as likely.
    std::optional<ResourceLimit> behind(const ProbeRun& run) const;

  private:
    /// of processes of our control groups, for lack of memory
    std::optional<std::int64_t> kills_before_;
};

}  // namespace rnncheck::process
