// A temporary directory that nobody else may read and that does not outlive this process.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

namespace rnncheck::process {

/// $TMPDIR or, where that is not an absolute path, /tmp.
std::string temporary_directory();

/// Created below temporary_directory(). Deleted at the end of its life by a process that waits for that; so it is also
/// deleted where this process is killed.
class PrivateDirectory {
  public:
    PrivateDirectory();
    ~PrivateDirectory();
    PrivateDirectory(const PrivateDirectory&) = delete;
    PrivateDirectory& operator=(const PrivateDirectory&) = delete;

    /// Nothing where no directory or no process could be created.
    const std::optional<std::string>& path() const { return path_; }

  private:
    std::optional<std::string> path_;
    pid_t remover_ = -1;
    int open_while_needed_ = -1;
};

}  // namespace rnncheck::process
