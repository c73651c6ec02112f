// Facts from a file that the user names.
#pragma once

#include <string>

#include "facts/facts.hpp"

namespace rnncheck {

inline constexpr std::size_t largest_facts_file = std::size_t{64} << 20;

/// "-" is standard input; pipes are read to their end. InputError when it cannot be read, is larger than
/// largest_facts_file or holds no facts; fields not known here are told on stderr.
Facts read_facts(const std::string& path);

/// The text of such a file. InputError when it cannot be read or is larger than largest_facts_file.
std::string read_document(const std::string& path);

}  // namespace rnncheck
