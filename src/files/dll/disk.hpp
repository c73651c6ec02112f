// The drives of Windows, on this machine or below a root: paths as Windows
// writes them, names without case.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.hpp"
#include "facts/dll_names.hpp"

namespace rnncheck::dll {

/// Which drives can be read.
enum class Drives {
    /// C: alone, whose directories are those of the root
    system_below_root,
    /// all, by their letters, where this program itself runs on Windows
    of_machine
};

/// Where Windows and its programs were installed.
struct InstalledIn {
    std::string windows = "C:\\Windows";
    std::string programs = "C:\\Program Files";
};

/// Paths are absolute and have drive letter and backslashes: "C:\Windows\System32".
class Disk {
  public:
    explicit Disk(Root root, Drives drives = Drives::system_below_root, InstalledIn places = {})
        : root_(std::move(root)), drives_(drives), places_(std::move(places)) {
    }

    const Root& root() const {
        return root_;
    }
    const std::string& windows() const {
        return places_.windows;
    }
    std::string system32() const {
        return places_.windows + "\\System32";
    }
    const std::string& programs() const {
        return places_.programs;
    }

    /// The path for the root, in the case of the disk: "/Windows/System32", or
    /// with the letter of the machine's drive "C:/Windows/System32". Nothing
    /// when nothing of that name is there, or on a drive that cannot be read.
    std::optional<std::string> inside(std::string_view path) const;

    bool exists(std::string_view path) const {
        return inside(path).has_value();
    }
    bool is_directory(std::string_view path) const;

    /// Sorted names in a directory; empty when it cannot be read.
    std::vector<std::string> names_in(std::string_view directory) const;

    /// The files that a path names, in whose parts one '*' is for
    /// any text; without one the path.
    std::vector<std::string> files_of(const std::string& pattern) const;

    /// The path with the names as the disk has them; as it is when
    /// nothing of that name is there.
    std::string as_written(std::string_view path) const;

  private:
    /// The names of a directory below the root, by their lower case.
    const std::map<std::string, std::string>& names_below(const std::string& directory) const;

    /// The name of a part of a path in this directory as the disk
    /// has it; nothing without one.
    std::optional<std::string> name_in(const std::string& directory, const std::string& part) const;

    Root root_;
    Drives drives_;
    InstalledIn places_;
    mutable std::map<std::string, std::map<std::string, std::string>> listings_;
};

/// "/Users/ada" on the system drive is "C:\Users\ada", and so is
/// "C:/Users/ada" of the machine.
std::string windows_path(std::string_view inside);

/// An absolute path with backslashes and without "." and ".."; nothing for a
/// relative one, and for one of a network.
std::optional<std::string> absolute_windows_path(std::string_view path);

}  // namespace rnncheck::dll
