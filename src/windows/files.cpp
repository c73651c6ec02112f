// Files as Windows has them. Paths inside this program have slashes, which Windows takes as well: C:/Windows/System32.
#include "base/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

namespace rnncheck {

namespace {

std::filesystem::path path_of(const std::string& place) {
    return std::filesystem::path(std::u8string(place.begin(), place.end()));
}

std::string slashed(const std::filesystem::path& path) {
    const std::u8string text = path.generic_u8string();
    return {text.begin(), text.end()};
}

}  // namespace

std::ptrdiff_t read_onto(std::string& text, int file, std::size_t most) {
    constexpr std::size_t most_at_once = 1 << 16;
    const std::size_t before = text.size();
    text.resize(before + std::min(most, most_at_once));
    const auto got = ::read(file, text.data() + before, static_cast<unsigned>(text.size() - before));
    text.resize(before + static_cast<std::size_t>(std::max(got, 0)));
    return got;
}

void Descriptor::close() {
    if (open()) ::close(number_);
    number_ = -1;
}

Root::Root(std::string prefix) : prefix_(std::move(prefix)) {
    while (!prefix_.empty() && prefix_.back() == '/') prefix_.pop_back();
}

std::optional<std::string> Root::read(std::string_view path, std::size_t most) const {
    const auto about = status(path);
    if (!about || !about->is_regular()) return std::nullopt;
    const Descriptor file(::_wopen(path_of(outside(path)).c_str(), O_RDONLY | O_BINARY | O_CLOEXEC));
    if (!file.open()) return std::nullopt;
    std::string content;
    while (content.size() < most) {
        const auto got = read_onto(content, file.number(), most - content.size());
        if (got < 0) return std::nullopt;
        if (got == 0) break;
    }
    return content;
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
        if (!failed) found.size = static_cast<std::int64_t>(size);
    } else if (!std::filesystem::exists(about)) {
        return std::nullopt;
    }
    return found;
}

std::vector<std::string> Root::names_in(std::string_view directory, std::size_t most) const {
    std::vector<std::string> names;
    std::error_code failed;
    std::filesystem::directory_iterator entry(path_of(outside(directory)), failed);
    for (; !failed && entry != std::filesystem::directory_iterator() && names.size() < most; entry.increment(failed))
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
    if (failed || !real.starts_with(prefix_)) return std::nullopt;
    return real.substr(prefix_.size());
}

std::optional<std::string> Root::follow_links(std::string_view path) const {
    return std::string(path);
}

bool Root::surely_absent(std::string_view path) const {
    return !exists(path);
}

}  // namespace rnncheck
