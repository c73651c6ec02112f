// How much memory of the GPUs was in use while a command ran, and by whom.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "process/survey.hpp"

namespace rnncheck {

/// One GPU when most of its memory was in use.
struct GpuMemoryUse {
    Board board;
    std::chrono::steady_clock::time_point time;
    /// In MiB, by processes that do not belong to the command; unset where the driver lists none of
    /// the command's, as in a container, where it has other process numbers.
    std::optional<std::int64_t> used_by_others_mib;
};

class GpuMemoryWatch {
  public:
    /// Never waits: queries NVML in a separate process, rarely. Returns when to look next.
    /// `belongs_to_command` answers for a process number.
    std::chrono::milliseconds look(const std::function<bool(pid_t)>& belongs_to_command);

    /// Takes what NVML has returned so far, and queries no more.
    void stop(const std::function<bool(pid_t)>& belongs_to_command);

    const std::map<int, GpuMemoryUse>& most_used() const {
        return most_used_;
    }

  private:
    void take(const Facts& found, const std::function<bool(pid_t)>& belongs_to_command);

    std::optional<RunningProbe> query_;
    bool is_unresponsive_ = false;  ///< a driver that hangs once would collect hanging processes
    std::chrono::steady_clock::time_point next_query_ = {};
    std::chrono::milliseconds interval_ = std::chrono::seconds(2);
    std::map<int, GpuMemoryUse> most_used_;  ///< by NVML's index
};

/// "GPU 0 (NVIDIA H200): 139.1 of 139.8 GiB of its memory were in use 4 s before the end, 70.2 GiB
/// of it by processes that do not belong to the command". The fullest GPU comes first.
std::vector<std::string> in_words(
    const std::map<int, GpuMemoryUse>& most_used, std::chrono::steady_clock::time_point end);

/// The fullest GPU; empty if none was nearly full or partly in use by others, because the memory is
/// measured rarely: a low number shows nothing about the moment of the failure.
std::string fullest_in_words(
    const std::map<int, GpuMemoryUse>& most_used, std::chrono::steady_clock::time_point end);

}  // namespace rnncheck
