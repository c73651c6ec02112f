// Reads go through plain read(2): the files of /proc report the size 0, and a
// buffer on the stack may not fit where the stack is limited.
#include "base/descriptor.hpp"

#include <unistd.h>

#include <algorithm>

namespace rnncheck {

/// Room for one read. More would be filled with zeros first, for small files too.
constexpr std::size_t most_at_once = 1 << 16;

std::ptrdiff_t read_onto(std::string& text, int file, std::size_t most) {
    const std::size_t before = text.size();
    text.resize(before + std::min(most, most_at_once));
    const std::ptrdiff_t got =
        ::read(file, text.data() + before, static_cast<unsigned>(text.size() - before));
    text.resize(before + static_cast<std::size_t>(std::max<std::ptrdiff_t>(got, 0)));
    return got;
}

void Descriptor::close() {
    if (open())
        ::close(number_);
    number_ = -1;
}

/// "/mnt/image/" and "/mnt/image" are the same root, and "/" is none: then
/// inside and outside paths are equal.
Root::Root(std::string prefix) : prefix_(std::move(prefix)) {
    while (!prefix_.empty() && prefix_.back() == '/')
        prefix_.pop_back();
}

std::optional<std::string> content_of(const Descriptor& file, std::size_t most) {
    std::string content;
    while (content.size() < most) {
        const std::ptrdiff_t got = read_onto(content, file.number(), most - content.size());
        if (got < 0)
            return std::nullopt;
        if (got == 0)
            break;
    }
    return content;
}

}  // namespace rnncheck
