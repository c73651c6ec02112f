// What was done to a character on its way into the log: colour, HTML, JSON. One step at a time.
#pragma once

#include <string_view>
#include <vector>

namespace rnncheck::log_reader {

struct Undone {
    std::size_t length = 1;    ///< bytes taken, at least 1
    std::string_view instead;  ///< what they stand for, often the byte itself; "" for nothing
};

/// The first character of `text`, which must not be empty. `is_json` says that backslashes are escapes.
Undone undo_at(std::string_view text, bool is_json);

/// How else `c` may be written.
std::vector<std::string_view> spellings_of(char c);

/// How many bytes from the beginning on stand for themselves.
std::size_t plain_size(std::string_view text);

/// A line that is one JSON object, as log collectors write.
bool looks_like_json(std::string_view line);

}  // namespace rnncheck::log_reader
