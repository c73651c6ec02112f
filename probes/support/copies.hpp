// Which copies of a library are worth a process of their own.
#pragma once

#include <string>
#include <vector>

#include "facts/facts.hpp"

namespace rnncheck::probes {

/// Paths of the files of a kind that could work, the ones the loader picks first; at most eight.
std::vector<std::string> copies_to_ask(const Facts& facts, LibraryKind kind);

}  // namespace rnncheck::probes
