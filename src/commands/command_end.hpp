// How a command ended, and who or what ended it, as `rnncheck run` shows it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "commands/gpu_memory_watch.hpp"
#include "files/device_opens.hpp"
#include "files/process_watch.hpp"
#include "process/control_groups.hpp"
#include "process/run/run_command.hpp"

namespace rnncheck {

/// A control group whose memory is limited.
struct MemoryGroup {
    process::ControlGroup group;
    long long kills = 0;  ///< of processes in it, because memory ran out
    std::string limit;    ///< in bytes, as the kernel writes it; empty for none
};

/// Watches a command from its start.
class CommandObserver {
  public:
    CommandObserver();

    /// For process::CommandRun::look.
    std::chrono::milliseconds look(pid_t command);

    /// The command has ended.
    void stop();

    const ProcessWatch& processes() const {
        return processes_;
    }
    const GpuMemoryWatch& gpu_memory() const {
        return gpu_memory_;
    }

    /// Whether it is certain that no process opened a GPU, of the command or any other.
    bool no_gpu_was_opened() const {
        return processes_.devices().empty() && !device_opens_.are_possible();
    }

    /// The lines of the kernel's log about the command's processes and about GPUs as such, since
    /// the start; empty where this user may not read it.
    std::vector<std::string> kernel_lines();

    /// The group whose limit ended a process since the first look.
    std::optional<MemoryGroup> group_out_of_memory() const;

  private:
    std::chrono::milliseconds look_at_processes(pid_t command);
    std::chrono::milliseconds look_at_gpus();
    bool is_known(const MemoryGroup& group) const;
    bool belongs_to_command(pid_t process) const;

    Descriptor kernel_log_;
    DeviceOpens device_opens_;
    ProcessWatch processes_;
    GpuMemoryWatch gpu_memory_;
    std::chrono::steady_clock::time_point next_look_ = {};  ///< at the processes
    std::vector<MemoryGroup> groups_;  ///< when they were first seen, the innermost first
    pid_t command_ = -1;
};

/// Whether a line of the kernel's log is about a process of the command, or about a GPU as such.
/// Another program's error on the same GPU is no reason for the command to fail.
bool concerns_command(
    const std::string& kernel_line, const std::function<bool(pid_t)>& belongs_to_command);

/// What somebody ended on purpose, or nobody wanted to read any more, did not fail.
bool has_failed(const process::CommandEnd& end);

/// "SIGSEGV after 12 s", "exit code 1 after 3 s".
std::string in_words(const process::CommandEnd& end);

/// In the words in which shells, kernels and schedulers write it into logs: what the log reader
/// understands.
std::string as_log(
    const process::CommandEnd& end,
    const std::vector<std::string>& kernel_lines,
    const std::optional<MemoryGroup>& group);

/// Sentences about the end that no log contains: who sent the signal, whose memory limit, what a
/// hanging command did.
std::vector<std::string> sentences_about(
    const process::CommandEnd& end,
    const std::vector<std::string>& kernel_lines,
    const std::optional<MemoryGroup>& group);

}  // namespace rnncheck
