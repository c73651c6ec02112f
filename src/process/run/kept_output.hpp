// The first and the last part of what a command wrote to one stream, in memory
// that a relay and its parent share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace rnncheck::process {

/// What was kept of a stream.
struct Output {
    /// from its beginning
    std::string head;
    /// bytes between `head` and `tail` that were not kept
    std::uint64_t skipped = 0;
    /// to its end; empty while `head` has everything
    std::string tail;
    /// it went directly to a file or device from which it cannot be read again
    bool unreadable = false;
};

/// Written by the relay's process, read by its parent once the relay has passed
/// on everything.
class KeptOutput {
  public:
    static constexpr std::size_t head_size = 1 << 20, tail_size = 2 << 20;

    KeptOutput();
    ~KeptOutput();
    KeptOutput(const KeptOutput&) = delete;
    KeptOutput& operator=(const KeptOutput&) = delete;

    void add(std::string_view bytes);

    /// So many bytes passed that add() did not get: the tail begins after them.
    void skip(std::uint64_t bytes);

    bool has_head() const {
        return shared_->head_used == head_size;
    }

    Output output() const;

  private:
    struct Shared {
        std::size_t head_used;
        /// counts on beyond tail_size: the ring's next place
        std::size_t tail_used;
        std::uint64_t skipped;
        char head[head_size];
        char tail[tail_size];
    };
    Shared* shared_;
};

}  // namespace rnncheck::process
