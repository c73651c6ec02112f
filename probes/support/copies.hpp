// Which copies of a library are worth a process of their own.
#pragma once

#include <string>
#include <vector>

#include "facts/facts.hpp"

namespace rnncheck::probes {

inline constexpr std::size_t most_copies = 8;

/// Paths of the files of a kind that could work: those that an installed framework gets and the one the loader picks
/// first; at most most_copies.
std::vector<std::string> copies_to_ask(const Facts& facts, LibraryKind kind);

/// The cuBLAS and NVRTC files that a process opens before this cuDNN, which then finds them by soname: those that the
/// framework gets which gets this cuDNN, of the active environment first; where none tells, those that came as wheels
/// beside it. Empty for copies of the system that no framework gets.
std::vector<std::string> companions_of(const Facts& facts, const std::string& cudnn_path);

}  // namespace rnncheck::probes
