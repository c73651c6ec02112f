// Whether anybody opened a GPU's device file, from the kernel's notices.
#pragma once

#include "base/files.hpp"

namespace rnncheck {

/// Looking at a process's open files from time to time can miss a use of the
/// GPU that begins late and is short. The kernel's notices (inotify(7)) miss
/// none, but do not name the process.
class DeviceOpens {
  public:
    /// Begins to watch /dev/nvidia0, /dev/nvidia1, ...
    DeviceOpens();

    /// False only if it is certain that nobody opened one since the construction.
    bool are_possible() const;

  private:
    Descriptor notices_;
    bool watches_all_ = false;
};

}  // namespace rnncheck
