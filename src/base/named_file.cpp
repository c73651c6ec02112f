// Users name pipes of other commands, process substitutions, devices and files
// with holes; each would wait or grow in a way of its own.
#include "base/named_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/program.hpp"
#include "base/text.hpp"

namespace rnncheck {

namespace {

constexpr int patience_with_fifo_ms = 5'000;
/// Of what a shell's process substitution started: a check of another machine,
/// which has 70 seconds itself.
constexpr int patience_with_process_ms = 120'000;

// files in /proc and /sys have the size 0
constexpr off_t most_of_unknown_size = off_t{64} << 20;

/// 63 of "/dev/fd/63".
std::optional<int> descriptor_named(std::string_view path) {
    if (path == "-" || path == "/dev/stdin")
        return STDIN_FILENO;
    for (const std::string_view directory : {"/dev/fd/", "/proc/self/fd/"})
        if (path.starts_with(directory))
            return leading_number<int>(path.substr(directory.size()));
    return std::nullopt;
}

/// As in the message "it is a directory; give a file".
std::string kind_of(mode_t mode) {
    if (S_ISDIR(mode))
        return "a directory";
    if (S_ISSOCK(mode))
        return "a socket";
    if (S_ISFIFO(mode))
        return "a pipe";
    return "a device";
}

/// By its number: a container masks files by mounting /dev/null over them.
bool is_null_device(const struct stat& about) {
    struct stat null_device {};
    return S_ISCHR(about.st_mode) && stat("/dev/null", &null_device) == 0 &&
           about.st_rdev == null_device.st_rdev;
}

}  // namespace

bool is_inherited(std::string_view path) {
    return descriptor_named(path).has_value();
}

NamedFile::NamedFile(const std::string& path, Fifo fifo)
    : name_(path == "-" ? "standard input" : "'" + path + "'") {
    const auto inherited = descriptor_named(path);
    struct stat about {};
    const int error = inherited ? fstat(*inherited, &about) : stat(path.c_str(), &about);
    if (error != 0)
        fail(std::strerror(errno));
    // A terminal and, from some programs, a socket are usual as a standard
    // input, and end when somebody ends them.
    const bool is_usual_stream = inherited && (isatty(*inherited) != 0 || S_ISSOCK(about.st_mode));
    if (inherited)
        fifo = Fifo::read;
    if (!is_usual_stream)
        require_readable(about, fifo);
    const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
    file_ = Descriptor(inherited ? dup(*inherited) : open(path.c_str(), flags));
    if (!file_.open() || fstat(file_.number(), &about) != 0)
        fail(std::strerror(errno));
    if (!is_usual_stream)
        require_readable(about, fifo);  // it may be another file by now
    is_regular_ = S_ISREG(about.st_mode);
    if (is_regular_)
        size_ = about.st_size;
    end_ = most_of_unknown_size;
    if (size_ > 0)
        end_ = size_;
    if (S_ISFIFO(about.st_mode) && !inherited)
        patience_ms_ = patience_with_fifo_ms;
    if (S_ISFIFO(about.st_mode) && inherited > STDERR_FILENO)
        patience_ms_ = patience_with_process_ms;
}

void NamedFile::require_readable(const struct stat& about, Fifo fifo) {
    const bool fits = S_ISREG(about.st_mode) || (S_ISFIFO(about.st_mode) && fifo == Fifo::read);
    if (!fits && !is_null_device(about))
        fail("it is " + kind_of(about.st_mode) + "; give a file");
}

/// A hole of a sparse file reads as zeros, up to any length; SEEK_DATA skips
/// it, and fails with ENXIO where nothing but a hole follows. Where it fails
/// otherwise, the file is read as it is.
std::size_t NamedFile::read(char* to, std::size_t size) {
    if (is_regular_) {
        const off_t at = lseek(file_.number(), 0, SEEK_CUR);
        const off_t data = at < 0 ? at : lseek(file_.number(), at, SEEK_DATA);
        if (at >= end_ || (data < 0 && errno == ENXIO))
            return 0;  // nothing but a hole follows
        if (data < 0 && at >= 0)
            lseek(file_.number(), at, SEEK_SET);
        size =
            std::min(size, static_cast<std::size_t>(std::max<off_t>(end_ - std::max(data, at), 0)));
    }
    while (true) {
        if (!is_regular_)
            wait_for_bytes();
        const ssize_t got = ::read(file_.number(), to, size);
        if (got >= 0)
            return static_cast<std::size_t>(got);
        if (errno != EINTR && errno != EAGAIN)
            fail(std::strerror(errno));
    }
}

void NamedFile::wait_for_bytes() const {
    pollfd ready{file_.number(), POLLIN, 0};
    if (poll(&ready, 1, patience_ms_) == 0)
        fail(
            "nothing was written into this pipe for " + std::to_string(patience_ms_ / 1000) +
            " seconds; write it to a file first, or pipe it to '-'");
}

std::string NamedFile::content(std::size_t most) {
    constexpr std::size_t block = 1 << 16;
    const auto require = [&](std::size_t size) {
        if (size > most)
            throw InputError(
                name_ + " is larger than the limit of " + std::to_string(most >> 20) + " MiB");
    };
    if (size_ > 0)
        require(static_cast<std::size_t>(size_));
    std::string text;
    for (std::size_t size = 0;; require(size)) {
        text.resize(size + block);
        const std::size_t got = read(text.data() + size, block);
        size += got;
        text.resize(size);
        if (got == 0)
            return text;
    }
}

void NamedFile::fail(const std::string& why) const {
    throw InputError("cannot read " + name_ + ": " + why);
}

}  // namespace rnncheck
