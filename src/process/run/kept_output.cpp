// A ring buffer for the tail: with a flood of output, memory stays
// bounded at 3 MiB for each stream.
#include "process/run/kept_output.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace rnncheck::process {

KeptOutput::KeptOutput() {
    void* memory =
        mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        throw std::system_error(errno, std::generic_category(), "no memory for kept output");
    // of zeros, which are valid values of all members
    shared_ = static_cast<Shared*>(memory);
}

KeptOutput::~KeptOutput() {
    munmap(shared_, sizeof(Shared));
}

void KeptOutput::add(std::string_view bytes) {
    const std::size_t to_head = std::min(bytes.size(), head_size - shared_->head_used);
    std::memcpy(shared_->head + shared_->head_used, bytes.data(), to_head);
    shared_->head_used += to_head;
    bytes.remove_prefix(to_head);
    while (!bytes.empty()) {
        const std::size_t place = shared_->tail_used % tail_size;
        const std::size_t part = std::min(bytes.size(), tail_size - place);
        std::memcpy(shared_->tail + place, bytes.data(), part);
        shared_->tail_used += part;
        bytes.remove_prefix(part);
    }
}

void KeptOutput::skip(std::uint64_t bytes) {
    shared_->skipped += shared_->tail_used + bytes;
    shared_->tail_used = 0;
}

Output KeptOutput::output() const {
    Output output{{shared_->head, shared_->head_used}, shared_->skipped, {}};
    const std::size_t used = shared_->tail_used;
    if (used <= tail_size) {
        output.tail.assign(shared_->tail, used);
        return output;
    }
    const std::size_t oldest = used % tail_size;
    output.tail.assign(shared_->tail + oldest, tail_size - oldest);
    output.tail.append(shared_->tail, oldest);
    output.skipped += used - tail_size;
    return output;
}

}  // namespace rnncheck::process
