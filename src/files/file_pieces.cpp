// Libraries are up to gigabytes large: nothing reads one as a whole, and every
// search is bounded.
#include "files/file_pieces.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "base/text.hpp"

namespace rnncheck {

namespace {

constexpr std::uint64_t most_bytes = 64 << 20;
constexpr std::size_t window = 1 << 20;
constexpr std::size_t longest_text = 128;

bool is_text(std::string_view bytes) {
    return std::ranges::all_of(bytes, [](unsigned char c) {
        return (c >= 0x20 && c != 0x7F) || c == '\t' || c == '\n' || c == '\r' || c == '\f';
    });
}

/// A text is what is between two NULs around the marker; longer ones are no names.
void search_bytes(std::string_view bytes, const TextSearch& search) {
    // much faster than find() in data full of NULs
    const auto next = [&](std::size_t from) {
        const void* found = nullptr;
        if (from < bytes.size())
            found = memmem(
                bytes.data() + from,
                bytes.size() - from,
                search.marker.data(),
                search.marker.size());
        if (!found)
            return std::string_view::npos;
        return static_cast<std::size_t>(static_cast<const char*>(found) - bytes.data());
    };
    for (auto at = next(0); at != std::string_view::npos;) {
        const std::size_t earliest = at - std::min(at, longest_text + 1);
        const auto before = bytes.substr(earliest, at + 1 - earliest).rfind('\0');
        const std::size_t start = earliest + before + 1;
        const bool has_start = before != std::string_view::npos;
        auto length = std::string_view::npos;
        if (has_start)
            length = bytes.substr(start).find('\0');
        const bool is_one = length != std::string_view::npos && length <= longest_text;
        if (is_one)
            search.found(bytes.substr(start, length));
        at = next(is_one ? start + length : at + 1);
    }
}

/// In windows that overlap by more than a text; those at a window's edge are
/// found in the next.
void search_extent(const FilePieces& pieces, const Extent& extent, const TextSearch& search) {
    std::uint64_t at = 0;
    while (at < extent.size && at <= pieces.size()) {
        const auto length = std::min<std::uint64_t>(window, extent.size - at);
        const std::string bytes = pieces.at(extent.offset + at, static_cast<std::size_t>(length));
        if (bytes.empty())
            return;
        // the text at the start of an extent has no NUL before it
        if (at == 0)
            search_bytes(std::string(1, '\0') + bytes, search);
        else
            search_bytes(bytes, search);
        if (bytes.size() < window)
            return;
        at += window - 2 * longest_text;
    }
}

}  // namespace

FilePieces::FilePieces(const std::string& path) {
    struct stat about {};
    if (stat(path.c_str(), &about) != 0)
        error_ = errno;
    else if (!S_ISREG(about.st_mode))
        error_ = EINVAL;
    // Not blocking: another process may put a pipe here between stat and open.
    else if (file_ = Descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
             !file_.open())
        error_ = errno;
    size_ = static_cast<std::uint64_t>(about.st_size);
}

std::string FilePieces::at(std::uint64_t offset, std::size_t length) const {
    if (offset >= size_)
        return {};
    std::string bytes(
        static_cast<std::size_t>(std::min<std::uint64_t>(length, size_ - offset)), '\0');
    const ssize_t got =
        pread(file_.number(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    return bytes;
}

std::optional<FileFault> no_regular_file(const std::string& path) {
    struct stat about {};
    if (stat(path.c_str(), &about) != 0 || S_ISREG(about.st_mode))
        return std::nullopt;
    if (S_ISDIR(about.st_mode))
        return FileFault{FileProblem::directory, "is a directory, not a file"};
    if (S_ISFIFO(about.st_mode))
        return FileFault{FileProblem::named_pipe, "is a named pipe (FIFO), not a file"};
    if (S_ISSOCK(about.st_mode))
        return FileFault{FileProblem::socket, "is a socket, not a file"};
    return FileFault{FileProblem::device, "is a device, not a file"};
}

std::string why_not_opened(int error) {
    if (error == EACCES)
        return "this user may not read it";
    if (error == EINVAL)
        return "is not a regular file";
    return "cannot be opened: " + std::generic_category().message(error);
}

std::string describe_non_elf(std::string_view start, std::string_view kind) {
    if (start.empty())
        return "is empty";
    if (is_text(start))
        return "is a text file that begins with '" +
               std::string(start.substr(0, std::min<std::size_t>(start.find('\n'), 60))) + "'";
    std::string words = concat("is not ", kind, ": it begins with the bytes");
    for (const unsigned char byte : start.substr(0, 4))
        append_hex(words += ' ', byte);
    return words;
}

std::string cut_off(std::uint64_t size, std::uint64_t end) {
    return "is cut off: it ends after " + pluralized(size, "byte", "bytes") +
           ", its contents reach to byte " + std::to_string(end);
}

/// The smallest extents first: names are in the small sections, and a large
/// one must not use up the bound.
void search_texts(const FilePieces& pieces, std::vector<Extent> extents, const TextSearch& search) {
    std::ranges::stable_sort(extents, {}, &Extent::size);
    std::uint64_t left = most_bytes;
    for (Extent extent : extents) {
        extent.size = std::min(extent.size, left);
        left -= extent.size;
        search_extent(pieces, extent, search);
    }
}

}  // namespace rnncheck
