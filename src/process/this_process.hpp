// What this process does with itself: gives up rights, runs a part of its work
// in a fork, becomes another program, has a temporary directory.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/files.hpp"

namespace rnncheck::process {

/// The path of this program: without /proc the one that it was started by, which
/// is good, where it is relative, as long as nobody changes the working directory.
std::string own_program();

/// When this process began; now where /proc does not show it.
std::chrono::steady_clock::time_point start_of_program();

/// This program was started as `ld-linux-x86-64.so.2 rnncheck`: own_program()
/// is the loader then, for the kernel loaded no interpreter for it (AT_BASE of
/// getauxval(3) is 0) although it needs one.
bool is_run_by_loader();

/// For a process that reads a file that may be hostile: no more than so many
/// bytes of memory of its own, nothing can be written to a file, no core files;
/// it ends when its parent does.
void confine_to_reading(std::size_t most_memory);

/// To be called by a started process before anything else: no core files, no
/// way to create device nodes or to load kernel modules (NVIDIA's libraries do
/// both when run as root, and through the set-user-id nvidia-modprobe) unless
/// it `may_make_nodes`, and it ends when its parent does.
void drop_privileges(bool may_make_nodes = false);

/// Runs `work` in a fork of this process and returns its result (0 to 255);
/// nothing when the fork ended without one. So whatever `work` changes in its
/// process (signals, limits, memory) is gone afterwards.
std::optional<int> run_in_fork(const std::function<int()>& work);

/// As exec and posix_spawn take them, with a null at the end; valid as long as `texts`.
std::vector<char*> pointers_to(const std::vector<std::string>& texts);

/// The directories in which the kernel shows itself, some of which may
/// be hidden from this process.
std::vector<std::string> directories_of_kernel();

/// How the crash of a process that uses memory that is not its own is reported: "SIGSEGV".
extern const std::string crash_by_bad_memory;

/// Such a crash of this process.
void use_bad_memory();

/// For a process whose buffers come and go by the megabyte: what it frees is used again.
void keep_freed_memory();

/// For a process that has done its work and whose end somebody else decides on.
[[noreturn]] void stay_until_ended();

/// Replaces this process by a program, looked for on PATH as execvp does.
/// Returns only when that fails: the error number.
int exec_command(const std::vector<std::string>& arguments);

/// $TMPDIR or, where that is not an absolute path, /tmp.
std::string temporary_directory();

/// Below temporary_directory(). Created, and deleted at the end of its life, by
/// a process that waits for that; so it is also deleted where this process is
/// killed, and this one waits for no file system.
class PrivateDirectory {
  public:
    PrivateDirectory();
    ~PrivateDirectory();

    /// Nothing where no directory or no process could be created within a second.
    const std::optional<std::string>& path() const {
        return path_;
    }

  private:
    class Keeper;
    std::optional<std::string> path_;
    std::unique_ptr<Keeper> keeper_;
};

// A hidden command of this program, run in a process of its own for its one line of answer.

/// What it wrote, or why it wrote nothing.
struct ChildAnswer {
    std::optional<std::string> line;
    /// how the process ended without one: "it crashed with SIGBUS"
    std::string failure;
};

/// The arguments without the program; the descriptor for the answer (write_line)
/// is added as --answer-to. `limit` is the longest time that it may take.
ChildAnswer answer_of_child(std::vector<std::string> arguments, std::chrono::milliseconds limit);

}  // namespace rnncheck::process
