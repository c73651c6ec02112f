// Errors of weight gradients, and of what passes back through matrices.
#pragma once

#include <span>

#include "rnn/errors.hpp"

namespace rnncheck {

inline double or_zero(const double* values, std::size_t at) {
    return values ? values[at] : 0;
}

/// Adds the errors of matrix' d, what passes back through a matrix of `rows` rows; an empty one (skip input) is the
/// unit matrix.
void add_way_back(const Rounding& rounding, const std::vector<double>& matrix, const double* d, const double* d_errors,
                  std::size_t rows, std::span<double> errors);

/// Errors of a weight gradient, a sum of outer products d x' over all steps: of d, and of x with the rounding of the
/// products.
class OuterProducts {
  public:
    /// An empty matrix has no gradient.
    OuterProducts(const LayerPlace& place, const Rounding& rounding, std::size_t rows, std::size_t columns);

    /// `x` null stands for ones (biases), errors null for none.
    void add(const double* d, const double* d_errors, const double* x, const double* x_errors);

    std::vector<double> errors(const std::vector<double>& gradient, const Rounding& rounding) const;

  private:
    std::size_t rows_, columns_;
    double product_ = 0;  ///< mean square of relative errors of one outer product
    double tiny_ = 0;
    std::vector<double> errors_;  ///< so far, [row][column]
    std::vector<double> squares_, column_errors_;
};

/// One side of a pseudo-layer: the gradients of its weights, and the way back to what its matrices multiply.
class Side {
  public:
    Side(const LayerPlace& place, int (*gate_of)(Cell, int), const std::vector<double> (&matrices)[4],
         const std::vector<double> (&biases)[4], std::size_t columns, const Rounding& rounding);

    /// Adds one step; `errors` gets those of the gradient of x. `x` null stands for zeros.
    void add(const double* dsums, const double* dsum_errors, const double* x, const double* x_errors, double* errors);

    void finish(const std::vector<double> (&gradients)[4], const std::vector<double> (&bias_gradients)[4],
                std::vector<double> (&errors)[4], std::vector<double> (&bias_errors)[4]) const;

  private:
    LayerPlace place_;
    int (*gate_of_)(Cell, int);
    const std::vector<double> (&matrices_)[4];
    std::size_t columns_;
    Rounding rounding_;
    std::vector<OuterProducts> products_, biases_;
};

}  // namespace rnncheck
