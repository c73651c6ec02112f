#include <algorithm>
#include <cmath>

#include "rnn/sweep.hpp"

// The formulas, constants and what they rest on: docs/numerics.md.
namespace rnncheck {

namespace {

/// What a data type contributes per element, as absolute errors of numbers of size 1.
struct Precision {
    double sums;            ///< unit roundoff of the sums
    double storage;         ///< unit roundoff of stored gates and states
    double nonlinearities;  ///< allowance for the device's sigmoid and tanh
};

Precision precision_of(Dtype dtype) {
    switch (dtype) {
        case Dtype::fp64:
            return {0x1p-53, 0x1p-53, 0x1p-44};
        case Dtype::fp32:
            return {0x1p-24, 0x1p-24, 0x1p-19};
        case Dtype::fp16:
            return {0x1p-24, 0x1p-11, 0x1p-11};
        case Dtype::bf16:
            return {0x1p-24, 0x1p-8, 0x1p-11};
    }
    return {};
}

/// TF32 operands keep 10 bits; cut off, two of them change a product by this relative root mean square.
constexpr double tf32_products = 0.76 * 0x1p-10;

/// Sensitivity of h to the errors of one step, over all steps: to bounds, and to root mean squares (where it includes
/// the largest of many elements).
constexpr double gain_of_bounds = 3, gain_of_rms = 8;

/// What is left of a layer's error behind the next layer.
constexpr double passed_on = 0.6;

/// Columns of a gate's sum and its root mean square, for the layer that has most of it.
struct GateSum {
    double columns = 0, rms = 0, product_rms = 0;
};

GateSum gate_sum(const RnnCase& rnn_case, int layer) {
    const double hidden = rnn_case.hidden, below = layer == 0 ? rnn_case.input : rnn_case.directions() * hidden;
    // Variance of weights U(+-1/sqrt(H)) is 1/(3H); of x it is 1, of numbers in (-1, 1) at most about 1/3.
    const double variance = layer == 0 ? 1 : 1.0 / 3;
    GateSum sum;
    sum.columns = below + hidden;
    sum.rms = std::sqrt((below * variance + hidden / 3 + 2) / (3 * hidden));
    sum.product_rms = std::sqrt(variance / (3 * hidden));
    return sum;
}

/// Largest error of h that correct arithmetic makes.
double error_of_h(const RnnCase& rnn_case, bool tf32) {
    const Precision precision = precision_of(rnn_case.dtype);
    double total = 0;
    for (int layer = 0; layer < rnn_case.layers; ++layer) {
        const GateSum sum = gate_sum(rnn_case, layer);
        const double summation = precision.sums * sum.product_rms * sum.columns / std::sqrt(2.0);
        const double operands = tf32 ? tf32_products * sum.rms : 0;
        const double own = gain_of_bounds * (precision.storage + precision.nonlinearities) +
                           gain_of_rms * std::hypot(summation, operands);
        total = own + passed_on * total;
    }
    return total;
}

}  // namespace

Limits limits_for(const RnnCase& rnn_case, bool tf32_possible) {
    const bool tf32 = tf32_possible && rnn_case.dtype == Dtype::fp32;
    Limits limits;
    limits.y = error_of_h(rnn_case, tf32);
    limits.c = 2 * limits.y;
    if (rnn_case.dtype == Dtype::fp32) limits.full_precision = error_of_h(rnn_case, false);
    return limits;
}

}  // namespace rnncheck
