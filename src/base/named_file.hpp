// A file that a person names: whatever it is, reading it neither waits
// without end nor grows without bound.
#pragma once

#include <sys/stat.h>

#include <string>
#include <string_view>

#include "base/files.hpp"

namespace rnncheck {

/// Whether the name is of something that was opened before this process was
/// started: "-", /dev/stdin, /dev/fd/63.
bool is_inherited(std::string_view path);

/// A file of the command line; not for the files of the examined
/// machine, which a Root reads.
class NamedFile {
  public:
    /// What to do with a pipe that has a name of its own (a FIFO): wait some
    /// seconds for what comes, or reject it.
    enum class Fifo { read, reject };

    /// Opens a regular file, a pipe or /dev/null; "-" is standard input.
    /// InputError for everything else, with its kind.
    explicit NamedFile(const std::string& path, Fifo fifo = Fifo::read);

    /// Up to `size` bytes; 0 at the end. A file that grows ends where it ended
    /// when it was opened; its holes are left out. InputError where it cannot
    /// be read, and for a pipe into which nothing is written for too long.
    std::size_t read(char* to, std::size_t size);

    /// The rest of it. InputError if that is more than `most` bytes: "... is
    /// larger than the limit of 64 MiB".
    std::string content(std::size_t most);

    /// "'facts.json'", "standard input"; for messages.
    const std::string& name() const {
        return name_;
    }

  private:
    void require_readable(const struct stat& about, Fifo fifo);
    void wait_for_bytes() const;
    [[noreturn]] void fail(const std::string& why) const;

    std::string name_;
    Descriptor file_;
    /// how long a pipe may be silent; -1 for a pipe without such a limit
    int patience_ms_ = -1;
    bool is_regular_ = false;
    /// of a regular file, when it was opened
    off_t size_ = 0;
    /// where it is not read any further
    off_t end_ = 0;
};

}  // namespace rnncheck
