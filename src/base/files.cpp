#include "base/files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <memory>

#include "base/descriptor.hpp"
#include "base/text.hpp"

namespace rnncheck {

// what Linux follows as well before it answers ELOOP
constexpr int most_links = 40;

std::optional<std::string> Root::read(std::string_view path, std::size_t most) const {
    const auto place = place_of(path);
    if (!place)
        return std::nullopt;
    const Descriptor file(open(place->c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    struct stat about {};
    if (!file.open() || fstat(file.number(), &about) != 0 || !S_ISREG(about.st_mode))
        return std::nullopt;
    return content_of(file, most);
}

std::vector<std::string> Root::names_in(std::string_view directory, std::size_t most) const {
    std::vector<std::string> names;
    const auto place = place_of(directory);
    if (!place)
        return names;
    const std::unique_ptr<DIR, int (*)(DIR*)> open_directory(opendir(place->c_str()), closedir);
    if (!open_directory)
        return names;
    while (const dirent* entry = readdir(open_directory.get())) {
        const std::string_view name = entry->d_name;
        if (name != "." && name != "..")
            names.emplace_back(name);
        if (names.size() >= most)
            break;
    }
    std::ranges::sort(names);
    return names;
}

/// readlink(2) adds no NUL and cuts a longer target silently; PATH_MAX is the
/// longest that the kernel keeps.
std::optional<std::string> Root::link(std::string_view path) const {
    char target[PATH_MAX];
    const ssize_t length = readlink(outside(path).c_str(), target, sizeof target);
    if (length <= 0)
        return std::nullopt;
    return std::string(target, static_cast<std::size_t>(length));
}

/// Nothing when they run in a loop.
/// Every part is resolved by hand: an absolute link inside an image must not
/// leave it, as it would in a system call.
std::optional<std::string> Root::follow_links(std::string_view path) const {
    std::vector<std::string> pending = split(path, '/');
    std::ranges::reverse(pending);
    std::string done;
    int links = 0;
    while (!pending.empty()) {
        const std::string part = std::move(pending.back());
        pending.pop_back();
        if (part.empty() || part == ".")
            continue;
        if (part == "..") {
            done.erase(std::min(done.rfind('/'), done.size()));
            continue;
        }
        const std::string next = done + '/' + part;
        const auto target = link(next);
        if (!target) {
            done = next;
            continue;
        }
        if (++links > most_links)
            return std::nullopt;
        if (target->front() == '/')
            done.clear();
        std::vector<std::string> parts = split(*target, '/');
        pending.insert(pending.end(), parts.rbegin(), parts.rend());
    }
    return done.empty() ? "/" : done;
}

/// Without a prefix the kernel resolves the links, which takes one call
/// instead of one for each part.
std::optional<std::string> Root::place_of(std::string_view path) const {
    if (prefix_.empty() && path.starts_with('/'))
        return std::string(path);
    const auto real = follow_links(path);
    if (!real)
        return std::nullopt;
    return outside(*real);
}

static FileStatus::Kind file_kind(mode_t mode) {
    if (S_ISREG(mode))
        return FileStatus::Kind::regular;
    if (S_ISDIR(mode))
        return FileStatus::Kind::directory;
    return FileStatus::Kind::other;
}

std::optional<FileStatus> Root::status(std::string_view path) const {
    const auto place = place_of(path);
    struct stat about {};
    if (!place || stat(place->c_str(), &about) != 0)
        return std::nullopt;
    constexpr mode_t all_bits = 07777;
    return FileStatus{
        file_kind(about.st_mode),
        about.st_mode & all_bits,
        about.st_uid,
        about.st_gid,
        about.st_size,
        about.st_dev,
        about.st_ino};
}

std::optional<std::string> Root::real_path(std::string_view path) const {
    // most are not there, which costs one call
    if (!exists(path))
        return std::nullopt;
    return follow_links(path);
}

bool Root::surely_absent(std::string_view path) const {
    struct stat about {};
    return prefix_.empty() && lstat(outside(path).c_str(), &about) != 0 && errno == ENOENT;
}

}  // namespace rnncheck
