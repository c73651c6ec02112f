// The system drive of Windows below a root: paths as Windows writes them, names without case.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.hpp"
#include "facts/dll_names.hpp"

namespace rnncheck::dll {

/// Paths are absolute and have drive letter and backslashes: "C:\Windows\System32". Only drive C:
/// can be read.
class Disk {
  public:
    explicit Disk(Root root) : root_(std::move(root)) {
    }

    const Root& root() const {
        return root_;
    }

    /// The path below the root, in the case of the disk: "/Windows/System32". Nothing when nothing
    /// of that name is there, or on another drive.
    std::optional<std::string> inside(std::string_view path) const;

    bool exists(std::string_view path) const {
        return inside(path).has_value();
    }
    bool is_directory(std::string_view path) const;

    /// Sorted names in a directory; empty when it cannot be read.
    std::vector<std::string> names_in(std::string_view directory) const;

    /// The path with the names as the disk has them; as it is when nothing of that name is there.
    std::string as_written(std::string_view path) const;

  private:
    /// The names of a directory below the root, by their lower case.
    const std::map<std::string, std::string>& names_below(const std::string& directory) const;

    Root root_;
    mutable std::map<std::string, std::map<std::string, std::string>> listings_;
};

/// "/Users/ada" on the system drive is "C:\Users\ada".
std::string windows_path(std::string_view inside);

/// An absolute path with backslashes and without "." and ".."; nothing for a relative one, and for
/// one of a network.
std::optional<std::string> absolute_windows_path(std::string_view path);

}  // namespace rnncheck::dll
