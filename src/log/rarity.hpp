// How rare text is in logs: what a log is searched for should be rare in it.
#pragma once

#include <string_view>

namespace rnncheck::log_reader {

/// Roughly, in bits. Words that stand in any log, and pieces of them, count little.
double rarity(std::string_view text);

}  // namespace rnncheck::log_reader
