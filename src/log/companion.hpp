// Bytes that every match of a pattern holds before or after a phrase.
#pragma once

#include <string>
#include <string_view>

namespace rnncheck::log_reader {

struct Companion {
    std::string bytes;
    std::size_t most_between = 0;  ///< visible bytes, no more stand between them and the core

    bool operator==(const Companion&) const = default;

    /// Whether they may stand in `text`, which begins behind the core, or ends before it.
    bool may_follow(std::string_view text) const;
    bool may_precede(std::string_view text) const;
};

}  // namespace rnncheck::log_reader
