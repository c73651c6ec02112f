// Which copies of a library are worth a process of their own.
#pragma once

#include <string>
#include <vector>

#include "facts/facts.hpp"

namespace rnncheck::probes {

inline constexpr std::size_t most_copies = 8;

/// Paths of the files of a kind that could work, the ones the loader picks first; at most most_copies.
std::vector<std::string> copies_to_ask(const Facts& facts, LibraryKind kind);

/// The cuBLAS and NVRTC files that came with a cuDNN as Python wheels: those below the same `nvidia` folder. Frameworks
/// open them before cuDNN, which then finds them by soname; they are on nobody's search path. Empty for other copies.
std::vector<std::string> wheel_companions(const Facts& facts, const std::string& cudnn_path);

}  // namespace rnncheck::probes
