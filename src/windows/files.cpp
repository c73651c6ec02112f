// Files as Windows has them. Paths inside this program have slashes, which
// Windows takes as well: C:/Windows/System32.
#include "base/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "base/descriptor.hpp"

namespace rnncheck {

namespace {

/// u8string, because a std::string would be taken for a text in the code page
/// of the system.
std::filesystem::path path_of(const std::string& place) {
    return std::filesystem::path(std::u8string(place.begin(), place.end()));
}

std::string slashed(const std::filesystem::path& path) {
    const std::u8string text = path.generic_u8string();
    return {text.begin(), text.end()};
}

}  // namespace

std::optional<std::string> Root::read(std::string_view path, std::size_t most) const {
    const auto about = status(path);
    if (!about || !about->is_regular())
        return std::nullopt;
    const Descriptor file(
        ::_wopen(path_of(outside(path)).c_str(), O_RDONLY | O_BINARY | O_CLOEXEC));
    if (!file.open())
        return std::nullopt;
    return content_of(file, most);
}

/// Names like CON and PRN are devices: the library finds that they are no regular files.
std::optional<FileStatus> Root::status(std::string_view path) const {
    std::error_code failed;
    const auto place = path_of(outside(path));
    const auto about = std::filesystem::status(place, failed);
    FileStatus found;
    if (std::filesystem::is_directory(about)) {
        found.kind = FileStatus::Kind::directory;
    } else if (std::filesystem::is_regular_file(about)) {
        found.kind = FileStatus::Kind::regular;
        const auto size = std::filesystem::file_size(place, failed);
        if (!failed)
            found.size = static_cast<std::int64_t>(size);
    } else if (!std::filesystem::exists(about)) {
        return std::nullopt;
    }
    return found;
}

std::vector<std::string> Root::names_in(std::string_view directory, std::size_t most) const {
    std::vector<std::string> names;
    std::error_code failed;
    std::filesystem::directory_iterator entry(path_of(outside(directory)), failed);
    for (; !failed && entry != std::filesystem::directory_iterator() && names.size() < most;
         entry.increment(failed))
        names.push_back(slashed(entry->path().filename()));
    std::ranges::sort(names);
    return names;
}

/// What Windows calls links is followed by real_path alone.
std::optional<std::string> Root::link(std::string_view) const {
    return std::nullopt;
}

std::optional<std::string> Root::real_path(std::string_view path) const {
    std::error_code failed;
    const std::string real = slashed(std::filesystem::canonical(path_of(outside(path)), failed));
    if (failed || !real.starts_with(prefix_))
        return std::nullopt;
    return real.substr(prefix_.size());
}

/// Every path is taken as it is: Windows resolves what it calls links by itself.
std::optional<std::string> Root::follow_links(std::string_view path) const {
    return std::string(path);
}

bool Root::surely_absent(std::string_view path) const {
    return !exists(path);
}

}  // namespace rnncheck
