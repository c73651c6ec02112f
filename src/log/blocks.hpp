// A log in blocks of whole lines, decoded from UTF-16 where it is.
#pragma once

#include <memory>

#include "log/read_log.hpp"

namespace rnncheck::log_reader {

/// A piece of a log with what is around it.
struct Block {
    std::string_view text;
    std::size_t begin =
        0;  ///< the block itself is text[begin, end); what is before and after belongs to its neighbours
    std::size_t end = 0;

    std::string_view own() const { return text.substr(begin, end - begin); }
};

class Blocks {
  public:
    explicit Blocks(ReadBytes read);

    /// The next block: whole lines but for lines longer than a block, which are cut. Valid until the next call; empty
    /// at the end.
    Block next();

    /// Nothing comes after the block that was given last.
    bool at_end() const { return at_end_ && end_ == filled_; }

    static constexpr std::size_t block_size = 256 * 1024;
    static constexpr std::size_t around = 8 * 1024;  ///< bytes before and after a block, where the log has them

  private:
    static constexpr std::size_t buffer_size = 2 * around + 2 * block_size;

    enum class Encoding { unknown, bytes, utf16_little, utf16_big };

    void fill();
    void learn_encoding();
    void decode(std::string_view bytes);
    void append_utf8(unsigned unit);

    ReadBytes read_;
    Encoding encoding_ = Encoding::unknown;
    std::unique_ptr<char[]> buffer_;  ///< what was read and is not yet behind us, [0, filled_)
    std::string raw_;                 ///< where UTF-16 is read to; empty for other logs
    std::string odd_;                 ///< bytes of an unfinished UTF-16 unit
    std::size_t filled_ = 0;
    std::size_t end_ = 0;  ///< of the block that was given last
    bool at_end_ = false;
};

}  // namespace rnncheck::log_reader
