#pragma once

#include "matrix/matrix.hpp"

namespace rnncheck::test {

/// The program's own tables, read once.
inline const Matrix& bundled_matrix() {
    static const Matrix matrix = Matrix::bundled();
    return matrix;
}

}  // namespace rnncheck::test
