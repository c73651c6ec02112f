// The text of a log: decoded, and without what terminals, web pages, mail programs and log
// collectors did to it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "log/read_log.hpp"

namespace rnncheck::log_reader {

/// A line of a log without its line end, or a piece of a long line.
struct RawLine {
    std::string_view text;
    std::int64_t number = 1;  ///< in the log
    bool starts_line = true;  ///< false: continues the line of the piece before
};

/// Lines in two forms. In `text` every run of blanks is one blank and every line end one '\n';
/// color codes, HTML, JSON escapes, quotation marks of mail and typographic quotes are removed.
/// `without_whitespace` is the same without any white space, for text that was wrapped in the
/// middle of words.
struct NormalizedText {
    std::string text;
    std::string without_whitespace;
    std::vector<RawLine> lines;
    std::vector<std::uint32_t> text_starts;                ///< where lines[n] begins in `text`
    std::vector<std::uint32_t> without_whitespace_starts;  ///< and in `without_whitespace`
};

/// Which line a place in one of the two forms belongs to.
std::size_t line_at(const std::vector<std::uint32_t>& starts, std::size_t place);

/// `raw` and what it points to must outlive the result.
NormalizedText normalized(std::vector<RawLine> raw);

/// The lines of a whole log.
std::vector<RawLine> lines_of(std::string_view log);

/// Decodes a log from UTF-16 where it is.
class LogText {
  public:
    explicit LogText(ReadBytes read) : read_(std::move(read)) {
    }

    /// Adds the next block to `text`, of `block_size` or a little more; false where the log ends
    /// with it.
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
