// Reading files below a root directory, bounded in size. May not write, and
// knows no product.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rnncheck {

/// One read(2) of at most `most` bytes, added to the text: no buffer on the
/// stack, which may be limited to little. Gives what read gives.
std::ptrdiff_t read_onto(std::string& text, int file, std::size_t most = 1 << 14);

/// A file descriptor that closes itself.
class Descriptor {
  public:
    Descriptor() = default;
    explicit Descriptor(int number) : number_(number) {
    }
    Descriptor(Descriptor&& other) noexcept : number_(other.number_) {
        other.number_ = -1;
    }
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    ~Descriptor() {
        close();
    }

    int number() const {
        return number_;
    }
    bool open() const {
        return number_ >= 0;
    }
    void close();

  private:
    int number_ = -1;
};

/// What is known of a file without opening it.
struct FileStatus {
    enum class Kind { regular, directory, other };

    Kind kind = Kind::other;
    /// permission bits and the set-id bits, e.g. 04755
    unsigned mode = 0;
    /// numbers of the user and the group
    unsigned owner = 0, group = 0;
    /// in bytes
    std::int64_t size = 0;
    /// with `inode` the same for all names of one file
    std::uint64_t device = 0;
    std::uint64_t inode = 0;

    bool is_regular() const {
        return kind == Kind::regular;
    }
    bool is_directory() const {
        return kind == Kind::directory;
    }
};

/// The file system as seen from `prefix`: "" is the machine itself, "/mnt/image" a
/// mounted image or a test's directory. Paths given and returned are the ones inside.
class Root {
  public:
    Root() = default;
    explicit Root(std::string prefix);

    /// The path on this machine of an inside path.
    std::string outside(std::string_view path) const {
        return prefix_ + std::string(path);
    }
    /// Empty for the machine itself; never ends in '/'.
    const std::string& prefix() const {
        return prefix_;
    }

    /// False, too, if a directory on the way may not be searched.
    bool exists(std::string_view path) const {
        return status(path).has_value();
    }

    /// At most `most` bytes of a regular file, pseudo-files of /proc and /sys included;
    /// nothing when it cannot be opened or read. Never blocks on a pipe or a device.
    std::optional<std::string> read(std::string_view path, std::size_t most = 1 << 20) const;

    /// Links followed; nothing when it does not exist.
    std::optional<FileStatus> status(std::string_view path) const;

    /// Sorted names in a directory, without "." and ".."; empty when it cannot
    /// be read. At most `most` names.
    std::vector<std::string> names_in(std::string_view directory, std::size_t most = 100'000) const;

    /// Where a symbolic link points to, unresolved; nothing when it is no link.
    std::optional<std::string> link(std::string_view path) const;

    /// The path with every symbolic link resolved inside the root (an absolute link
    /// stays inside); nothing when it does not exist or the links run in a loop.
    std::optional<std::string> real_path(std::string_view path) const;

    /// There is nothing of this name, by one system call. False may
    /// mean that it takes more to know.
    bool surely_absent(std::string_view path) const;

    /// Following its links from directory to directory never ends.
    bool links_in_circle(std::string_view path) const {
        return !follow_links(path);
    }

  private:
    std::optional<std::string> follow_links(std::string_view path) const;
    /// The path for a system call, which follows links by itself where there is no prefix.
    std::optional<std::string> place_of(std::string_view path) const;

    std::string prefix_;
};

}  // namespace rnncheck
