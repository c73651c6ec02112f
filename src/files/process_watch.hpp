// What a process and those below it have open of the GPU, from /proc,
// looked at rarely and cheaply.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <map>
#include <set>
#include <string>

namespace rnncheck {

/// Looks at a running command and all processes that it starts.
class ProcessWatch {
  public:
    /// Looks at all of them; returns how long to wait for the next look: the
    /// older the run, and the more a look costs, the longer. After the first
    /// seconds, less than a hundredth of a processor is used.
    std::chrono::milliseconds look(pid_t first);

    /// The GPU libraries that were mapped, with the processes that had them.
    const std::map<std::string, std::set<pid_t>>& libraries() const {
        return libraries_;
    }

    /// Files of NVIDIA's devices that were open, e.g. /dev/nvidia0.
    const std::set<std::string>& devices() const {
        return devices_;
    }

    /// Frameworks whose libraries were mapped, e.g. PyTorch, with the path of one.
    const std::map<std::string, std::string>& frameworks() const {
        return frameworks_;
    }

    bool has_seen(pid_t process) const {
        return seen_.contains(process);
    }

  private:
    struct Seen {
        /// virtual memory when its map was read
        unsigned long long memory = 0;
        bool uses_driver = false;
    };

    void look_at(pid_t process, unsigned long long memory);
    void read_map(pid_t process, Seen& seen);
    void read_descriptors(pid_t process);

    std::map<pid_t, Seen> seen_;
    std::map<std::string, std::set<pid_t>> libraries_;
    std::set<std::string> devices_;
    std::map<std::string, std::string> frameworks_;
    std::chrono::milliseconds wait_ = std::chrono::milliseconds(50);
};

}  // namespace rnncheck
