// Mapped and not read: of a file of many gigabytes only the pages with headers
// and descriptions are touched.
#include "model/bytes.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace rnncheck::model {

MappedFile::MappedFile(const std::string& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0)
        throw InputError(std::string("it cannot be opened: ") + std::strerror(errno));
    struct stat status {};
    const bool regular = fstat(file, &status) == 0 && S_ISREG(status.st_mode);
    const auto size = static_cast<std::size_t>(status.st_size);
    void* memory = MAP_FAILED;
    if (regular && size > 0)
        memory = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (!regular)
        throw InputError("it is not a regular file");
    if (size == 0)
        throw InputError("the file is empty");
    if (memory == MAP_FAILED)
        throw InputError(std::string("it cannot be mapped: ") + std::strerror(errno));
    // no reading ahead into weights
    madvise(memory, size, MADV_RANDOM);
    bytes_ = {static_cast<const char*>(memory), size};
}

MappedFile::~MappedFile() {
    munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

/// The lowest seven bits first; the highest bit of a byte states that another one follows.
std::uint64_t Cursor::varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        const std::uint64_t byte = number(1);
        value |= (byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
    damaged("a number has more than 64 bits");
}

}  // namespace rnncheck::model
