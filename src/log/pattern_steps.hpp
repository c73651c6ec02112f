// Reads the patterns of the table log_signatures.
#pragma once

#include "log/phrase.hpp"

namespace rnncheck::log_reader {

/// The ways a pattern can be matched, as far as they differ: each text that matches follows one of them. What is not
/// told apart is a gap. `small_sets_apart` tells the members of small sets of bytes apart. InputError for a pattern
/// that is not understood.
std::vector<Steps> ways_of(std::string_view pattern, bool small_sets_apart);

}  // namespace rnncheck::log_reader
