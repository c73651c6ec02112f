// A matrix laid out so that many rows are summed side by side.
#pragma once

#include <cstddef>
#include <vector>

namespace rnncheck {

class PackedMatrix {
  public:
    /// Rows that are summed side by side: eight SSE2 registers of two.
    static constexpr std::size_t block = 16;

    PackedMatrix(std::size_t rows, std::size_t columns)
        : columns_(columns), blocks_((rows + block - 1) / block), values_(blocks_ * block * columns) {}

    /// Columns from `from` on of a row. What is not placed is zero.
    void place(std::size_t row, std::size_t from, const double* values, std::size_t count);

    std::size_t blocks() const { return blocks_; }
    /// Rows with those that fill the last block.
    std::size_t padded_rows() const { return blocks_ * block; }

    /// sums[row] += matrix[row][from ...] . values, for the rows of one block. One sum after the other in a fixed
    /// order, so that no result depends on the compiler.
    void accumulate(std::size_t at, double* sums, std::size_t from, const double* values, std::size_t count) const;

  private:
    std::size_t columns_, blocks_;
    std::vector<double> values_;  ///< [block of rows][column][row in block]
};

}  // namespace rnncheck
