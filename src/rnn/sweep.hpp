// Which cases to run, the numbers that go in, the numbers that must come out, and how far they may differ.
// Pure arithmetic: knows no vendor, file or process.
#pragma once

#include "rnn/case.hpp"

namespace rnncheck {

/// The cases of the standard level, in order, each as it is to be run. `number` in a report is index + 1.
/// Cases that a dialect cannot express (bf16, fma, small_h in the legacy one) are left out.
std::vector<RnnCase> standard_sweep(Dialect dialect);

/// A case in one line: "fp32 fma standard I=7 H=5 B=3 T=4 L=1".
std::string describe(const RnnCase& rnn_case);

/// Numbers of one pseudo-layer: layer k forward is 2k, backward 2k + 1 when bidirectional, else k.
/// Gates are in cuDNN's order: input, forget, candidate, output. Matrices are row-major.
struct LayerWeights {
    int columns = 0;                                       ///< width of this layer's input
    std::vector<double> input[4];                          ///< [hidden][columns]
    std::vector<double> recurrent[4];                      ///< [hidden][hidden]
    std::vector<double> input_bias[4], recurrent_bias[4];  ///< [hidden]
};

/// All numbers that go in, already rounded to the case's dtype, so that device and reference start alike.
/// x is [sequence][step][input] padded to sequence_length, whatever the case's layout; the padding holds ordinary
/// numbers, so that reading it shows. hx, cx are [pseudo-layer][sequence][hidden], empty when the case gives no states.
struct RnnInputs {
    std::vector<LayerWeights> layers;  ///< by pseudo-layer
    std::vector<double> x, hx, cx;
};

/// The same numbers for the same case, on every machine; other numbers for any other case.
RnnInputs make_inputs(const RnnCase& rnn_case);

/// y is [sequence][step][directions * hidden], padded with zeros after each sequence's end; hy, cy as hx, cx.
struct RnnOutputs {
    std::vector<double> y, hy, cy;
};

/// The documented LSTM equations in fp64: i, f, o = sigmoid(W x + R h + bW + bR), g = tanh(...),
/// c' = f c + i g, h' = o tanh(c'). Source: cuDNN API reference, cudnnRNNMode_t.
RnnOutputs reference(const RnnCase& rnn_case, const RnnInputs& inputs);

/// Largest error allowed per element. docs/numerics.md derives them.
struct Limits {
    double y = 0;               ///< absolute, for y and hy
    double c = 0;               ///< for cy, times max(1, |expected|)
    double full_precision = 0;  ///< fp32 only: above it reduced-precision arithmetic ran; else 0
};

/// `tf32_possible`: the device has TF32 and neither the case nor the environment forbids it.
Limits limits_for(const RnnCase& rnn_case, bool tf32_possible);

/// How far outputs are from what they must be. Padding of y must be exactly 0.
struct Comparison {
    bool right = false;              ///< every element finite, written and within its limit
    double largest_error = 0;        ///< largest error scaled to `limit`: error / own limit * limit; infinite for NaN
    double limit = 0;                ///< Limits::y
    bool reduced_precision = false;  ///< fp32 with an error that TF32 explains and full precision does not
    std::string worst;  ///< if not right, counted from 0: "y of sequence 2, step 3, unit 17: found 0.25, expected 0.5"
};

Comparison compare(const RnnCase& rnn_case, const RnnOutputs& expected, const RnnOutputs& found, const Limits& limits);

}  // namespace rnncheck
