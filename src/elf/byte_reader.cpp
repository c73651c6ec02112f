#include "elf/byte_reader.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace rnncheck::elf {

std::optional<ByteReader> ByteReader::open(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0) return std::nullopt;
    struct stat about{};
    if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode)) {
        close(file);
        return std::nullopt;
    }
    return ByteReader(file, static_cast<std::uint64_t>(about.st_size));
}

ByteReader::~ByteReader() {
    if (file_ >= 0) close(file_);
}

std::optional<std::string> ByteReader::bytes(std::uint64_t offset, std::uint64_t length) const {
    if (offset > size_ || length > size_ - offset) return std::nullopt;
    std::string content(length, '\0');
    std::uint64_t done = 0;
    while (done < length) {
        const ssize_t got = pread(file_, content.data() + done, length - done, static_cast<off_t>(offset + done));
        if (got <= 0) return std::nullopt;
        done += static_cast<std::uint64_t>(got);
    }
    return content;
}

}  // namespace rnncheck::elf
