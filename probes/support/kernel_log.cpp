#include "support/kernel_log.hpp"

#include <fcntl.h>

#include <cerrno>

#include "base/descriptor.hpp"

namespace rnncheck::probes {

/// Each read of /dev/kmsg gives one record and does not wait for the next one
/// (Documentation/ABI/testing/dev-kmsg of the kernel). Nothing where it may not
/// be read: dmesg_restrict, or a container.
std::optional<std::string> kernel_log(const Root& root) {
    const Descriptor file(
        open(root.outside("/dev/kmsg").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    constexpr std::size_t most_bytes = 8 << 20;
    std::string text;
    while (text.size() < most_bytes) {
        const ssize_t got = read_onto(text, file.number(), 8192);
        // overwritten while we read
        if (got < 0 && errno == EPIPE)
            continue;
        if (got <= 0)
            break;
    }
    if (text.empty())
        return std::nullopt;
    return text;
}

}  // namespace rnncheck::probes
