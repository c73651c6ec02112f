// How far honest arithmetic errs, element by element: mean squares of errors, followed through a
// case's own numbers. docs/numerics.md states the model.
#pragma once

#include "rnn/layer.hpp"

namespace rnncheck {

/// What a device's arithmetic may do to a number, as mean squares of relative errors; `tiny` is
/// absolute.
struct Rounding {
    double sums = 0;       ///< each addition
    double storage = 0;    ///< a number kept in the data type
    double operands = 0;   ///< a product of two operands cut to TF32
    double functions = 0;  ///< sigmoid and tanh
    double tiny = 0;       ///< a number below the type's normal range

    double stored(double value) const {
        return storage * value * value + tiny;
    }

    /// Of one matrix row, or column, with this sum of squares, times `count` values with these mean
    /// squares.
    double product(double squares, double value, double error, std::size_t count) const {
        return squares * (error + value * (operands + sums * static_cast<double>(count) / 2));
    }
};

/// A few functions of one number, in multiply-adds; for Team::run_ranges.
inline constexpr double operations_per_number = 10;

/// Limits are this many times the root of an error's mean square: the largest of a million
/// independent ones stays within five, and twice that for errors that are not independent.
inline constexpr double limit_per_root_mean_square = 10;

/// Mean squares of the errors of outputs and of what the tape holds, each in the place of its
/// number. Those of y and dx are on the tape; x has none, and no place for any.
struct Errors {
    RnnOutputs outputs;
    Tape tape;
};

/// Adds those of the gradients to those of the forward pass.
void add_gradient_errors(
    const RnnCase& rnn_case,
    const RnnInputs& inputs,
    const Computation& computation,
    const Rounding& rounding,
    Errors& errors,
    Team& team);

/// Of a sum whose first part carries the errors of earlier steps: those may have the same cause as
/// this step's, such as the rounding of a weight, and then do not add as squares.
inline double propagated(double earlier, double now) {
    const double root = std::sqrt(earlier) + std::sqrt(now);
    return root * root;
}

inline double square(double value) {
    return value * value;
}

}  // namespace rnncheck
