// Goes along the steps of a pattern from a core, whatever was done to the text.
#pragma once

#include <string_view>

#include "log/neighbours.hpp"

namespace rnncheck::log_reader {

/// Whether `text` may follow `steps` from `at` on. They hold no gaps and need no trying. `blanks_count` says that the
/// pattern is never found in text without white space. What is refuted may be right with other digits where the steps
/// tell digits apart.
Verdict go_on(std::string_view text, std::size_t at, const Steps& steps, bool blanks_count);
/// The same to the left: `at` is the byte before the core.
Verdict go_back(std::string_view text, std::size_t at, const Steps& steps, bool blanks_count);

}  // namespace rnncheck::log_reader
