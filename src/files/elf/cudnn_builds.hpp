// What cuDNN's files show of how they were built, which none of its functions
// returns. Written for hostile files.
#pragma once

#include <optional>
#include <string_view>

#include "base/files.hpp"
#include "facts/common.hpp"

namespace rnncheck::elf {

/// The version by which a libcudnn.so.9 opens its parts: 9.28.0 for one that tries
/// libcudnn_ops.so.9.28.0 before libcudnn_ops.so.9. It is no text in the file but
/// three numbers in the code that assembles these names (seen in 9.1.0 to 9.28.0 for
/// x86-64). Nothing when that code is not found; then the file's own name may show it.
std::optional<Version> version_of_parts_opened(const Root& root, std::string_view path);

/// CUDA's major version of the compiler that made the GPU code in a file, by the
/// version of the PTX in it: 12 for PTX ISA 8.x. Nothing for a file without PTX.
std::optional<int> cuda_major_of_gpu_code(const Root& root, std::string_view path);

}  // namespace rnncheck::elf
