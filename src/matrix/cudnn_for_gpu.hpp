// Which cuDNN a GPU can go to.
#pragma once

#include "matrix/matrix.hpp"

namespace rnncheck {

/// Whether some build of cuDNN of this release or a later one of its major has code for the GPU.
bool has_cudnn_from(const Matrix& matrix, const Version& release, const Version& capability);

}  // namespace rnncheck
