// A log's text, decoded from UTF-16 where it is.
#pragma once

#include "log/read_log.hpp"

namespace rnncheck::log_reader {

class LogText {
  public:
    explicit LogText(ReadBytes read) : read_(std::move(read)) {}

    /// Adds the next block to `text`, of `block_size` or a little more; false where the log ends with it.
    bool append_to(std::string& text);

    static constexpr std::size_t block_size = 256 * 1024;

  private:
    enum class Encoding { unknown, bytes, utf16_little, utf16_big };

    static Encoding encoding_of(std::string_view bytes);

    ReadBytes read_;
    Encoding encoding_ = Encoding::unknown;
    std::string raw_;  ///< read and not yet decoded
    bool at_end_ = false;
};

}  // namespace rnncheck::log_reader
