// The numbers that go into a case and the numbers that must come out. Pure arithmetic: knows no
// vendor, file or process.
#pragma once

#include <cstdint>

#include "rnn/case.hpp"

namespace rnncheck {

/// Numbers of one pseudo-layer: layer k forward is 2k, backward 2k + 1 when bidirectional, else k.
/// Matrices are row-major. What a case does not have is empty: biases, the matrices that skip input
/// leaves out, the projection.
struct LayerWeights {
    int columns = 0;                                       ///< width of this layer's input
    std::vector<double> input[4];                          ///< [hidden][columns]
    std::vector<double> recurrent[4];                      ///< [hidden][output]
    std::vector<double> input_bias[4], recurrent_bias[4];  ///< [hidden]
    std::vector<double> projection;                        ///< [output][hidden]
};

/// Every array of the weights: by gate those of the matrices and biases, then the projection.
template <class Weights, class Use>
void for_each_array(Weights& weights, Use&& use) {
    for (int gate = 0; gate < 4; ++gate)
        for (auto* values :
             {&weights.input[gate],
              &weights.recurrent[gate],
              &weights.input_bias[gate],
              &weights.recurrent_bias[gate]})
            use(*values);
    use(weights.projection);
}

/// All numbers that go in, already rounded to the case's dtype, so that device and reference start
/// alike. x is [sequence][step][input] padded to sequence_length, whatever the case's layout; the
/// padding holds ordinary numbers, so that reading it shows. hx is
/// [pseudo-layer][sequence][output], cx [pseudo-layer][sequence][hidden] (LSTM alone), both empty
/// when the case gives no states. For training, dy, dhy and dcy are the gradients of y, hy and cy,
/// in their shapes; dy is zero in the padding, dhy and dcy are empty like hx and cx.
struct RnnInputs {
    std::vector<LayerWeights> layers;  ///< by pseudo-layer
    std::vector<double> x, hx, cx;
    std::vector<double> dy, dhy, dcy;
};

/// The same numbers for the same case, on every machine; other numbers for any other case.
RnnInputs make_inputs(const RnnCase& rnn_case);

/// Puts `numbers`, rounded to the case's dtype, in place of the inputs' weights: for each
/// pseudo-layer in the order of for_each_array. False, and nothing is changed, where they are not
/// as many.
bool use_weights(const RnnCase& rnn_case, const std::vector<double>& numbers, RnnInputs& inputs);

/// The state before the first stream of numbers; make_inputs draws one stream for each array, in
/// this order: for every pseudo-layer and gate input matrix, recurrent matrix, input bias,
/// recurrent bias, then the projection; x, hx, cx, dy, dhy, dcy; of all these those that the case
/// has.
std::uint64_t key_of(const RnnCase& rnn_case);

/// y is [sequence][step][directions * output], padded with zeros after each sequence's end; hy, cy
/// as hx, cx, cy for LSTM alone. For training also the gradients: dx as x, with zeros in the
/// padding, dhx and dcx as hy and cy, and those of all weights, by pseudo-layer.
struct RnnOutputs {
    std::vector<double> y, hy, cy;
    std::vector<double> dx, dhx, dcx;
    std::vector<LayerWeights> dweights;
};

/// What the forward pass met on its way, kept for gradients and limits. Rows are [sequence][step].
struct Tape {
    struct PseudoLayer {
        /// [row][group][hidden], see groups_of. LSTM: the gates; GRU: reset, update, candidate, and
        /// the candidate's recurrent sum; tanh, relu: the sum.
        std::vector<double> gates;
        std::vector<double> cells;     ///< LSTM: [row][hidden], c before clipping
        std::vector<double> squashed;  ///< LSTM: [row][hidden], tanh of c after clipping
        /// For training the gradients: of h [row][output], of h before projection and of c
        /// [row][hidden], of the sums [row][group][hidden].
        std::vector<double> dh, dm, dc, dsums;
    };
    std::vector<PseudoLayer> pseudo_layers;
    std::vector<std::vector<double>> data;  ///< input of each layer, and y: [row][width]
    /// For training, their gradients; the first is empty at the end, because it is the output dx.
    std::vector<std::vector<double>> ddata;
};

struct Computation {
    RnnOutputs outputs;
    Tape tape;
};

/// The documented equations in fp64, forward and, for training, their derivatives. Source: cuDNN
/// API reference, cudnnRNNMode_t; docs/numerics.md spells them out. The results do not depend on
/// the number of threads.
Computation compute(const RnnCase& rnn_case, const RnnInputs& inputs, int threads = 1);

/// The outputs of compute() alone.
RnnOutputs reference(const RnnCase& rnn_case, const RnnInputs& inputs);

}  // namespace rnncheck
