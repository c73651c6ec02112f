// The containers of GPU code in libraries (.nv_fatbin in ELF, .nv_fatb in
// PE). Written for hostile files.
#pragma once

#include "files/file_pieces.hpp"

namespace rnncheck {

/// CUDA's major version of the compiler that made the first PTX in this part of a file:
/// 12 for PTX ISA 8.x. Nothing for a part without PTX, and for PTX before CUDA 11.
std::optional<int> cuda_major_of_ptx(const FilePieces& pieces, const Extent& part);

}  // namespace rnncheck
