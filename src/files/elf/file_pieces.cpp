#include "files/elf/file_pieces.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace rnncheck::elf {

static std::string failure_in_words(int error) {
    if (error == EINVAL) return "is not a regular file";
    if (error == EACCES) return "this user may not read it";
    return "cannot be opened: " + std::generic_category().message(error);
}

std::optional<struct stat> status_of(const Root& root, std::string_view path) {
    struct stat about {};
    const auto real = root.real_path(path);
    if (!real || stat(root.outside(*real).c_str(), &about) != 0) return std::nullopt;
    return about;
}

FilePieces::FilePieces(const std::string& path) {
    struct stat about {};
    if (stat(path.c_str(), &about) != 0)
        error_ = errno;
    else if (!S_ISREG(about.st_mode))
        error_ = EINVAL;
    // Not blocking: another process may put a pipe here between stat and open.
    else if ((file_ = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) < 0)
        error_ = errno;
    size_ = static_cast<std::uint64_t>(about.st_size);
    if (error_ != 0) problem_ = failure_in_words(error_);
}

FilePieces::~FilePieces() {
    if (file_ >= 0) close(file_);
}

std::string FilePieces::at(std::uint64_t offset, std::size_t length) const {
    if (offset >= size_) return {};
    std::string bytes(static_cast<std::size_t>(std::min<std::uint64_t>(length, size_ - offset)), '\0');
    const ssize_t got = pread(file_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return bytes;
}

}  // namespace rnncheck::elf
