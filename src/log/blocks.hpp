// A log in blocks of whole lines, decoded from UTF-16 where it is.
#pragma once

#include "log/read_log.hpp"

namespace rnncheck::log_reader {

class Blocks {
  public:
    explicit Blocks(ReadBytes read);

    /// The next block: whole lines but for lines longer than a block, which are cut. Valid until the next call; "" at
    /// the end.
    std::string_view next();

    static constexpr std::size_t block_size = 256 * 1024;

  private:
    enum class Encoding { unknown, bytes, utf16_little, utf16_big };

    void fill();
    void append(std::string_view bytes);

    ReadBytes read_;
    Encoding encoding_ = Encoding::unknown;
    std::string buffer_;  ///< decoded, not yet handed out beyond `given_`
    std::string raw_;     ///< what was read last
    std::string odd_;     ///< bytes of an unfinished UTF-16 unit
    std::size_t given_ = 0;
    bool at_end_ = false;
};

}  // namespace rnncheck::log_reader
