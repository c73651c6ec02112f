// What tells texts that follow a part of a pattern from others.
#pragma once

#include <string>
#include <vector>

#include "log/pattern_steps.hpp"

namespace rnncheck::log_reader {

/// Every text that follows one of `ways` holds one of these, which together are as rare in logs as can be had. None
/// where there is a way without such bytes, or where they would be many.
std::vector<std::string> rare_words_of(const std::vector<Steps>& ways);

}  // namespace rnncheck::log_reader
