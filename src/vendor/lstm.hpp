// One recurrent-network case through cuDNN, with either of its two RNN
// interfaces. Measures and copies; does not evaluate.
#pragma once

#include <array>
#include <optional>

#include "facts/rnn.hpp"
#include "rnn/network.hpp"
#include "vendor/cudnn_abi.hpp"

namespace rnncheck::vendor {

/// One GPU with its primary context current, a cuDNN handle on it, and both libraries.
struct Session {
    Opened<CudaApi> cuda;
    Opened<CudnnApi> cudnn;
    /// the first call that failed, opening included; no other may follow then
    std::optional<CallResult> failure = {};
    CudnnHandle handle = nullptr;
    /// every RNN descriptor wants one
    DropoutDescriptor no_dropout = nullptr;
};

/// Creates the cuDNN handle and the dropout descriptor, which live as long as the process.
void start(Session& session);

/// The results in the reference's layout, padding included as it was
/// found; empty if a call failed.
struct Outputs {
    RnnOutputs first, again;  ///< `again` is empty if it is bitwise identical
};

/// cuDNN's linLayerID: a cell's gates on the input side, then on the
/// recurrent side; 8 is the projection.
inline constexpr int projection_layer = 8, linear_layers = 9;

/// Whether the case has this linear layer.
bool has_linear_layer(const RnnCase& rnn_case, int linear);

/// The array of the linear layer's matrix or bias; a projection has no bias.
template <class Weights>
auto& weights_of(const RnnCase& rnn_case, Weights& weights, int linear, bool bias) {
    const int gates = gates_of(rnn_case.cell);
    if (linear == projection_layer)
        return weights.projection;
    if (linear < gates)
        return bias ? weights.input_bias[linear] : weights.input[linear];
    return bias ? weights.recurrent_bias[linear % gates] : weights.recurrent[linear % gates];
}

/// x or y of this width from the case's layout to [sequence][step][width]; what
/// a packed layout does not hold is zero.
std::vector<double> from_layout(
    const RnnCase& rnn_case, const std::vector<double>& ordered, int width);

/// What goes to the device, as bytes of the case's dtype and in its
/// layout. Making it calls no vendor.
struct DeviceImage {
    using Bytes = std::vector<std::byte>;
    struct Layer {
        /// empty for what the case does not have
        std::array<Bytes, linear_layers> matrices, biases;
    };
    std::vector<Layer> layers;  ///< by pseudo-layer
    Bytes x, hx, cx, dy, dhy, dcy;
};

/// From the case's inputs and weights as the reference has them, rounded to its dtype.
DeviceImage device_image(const RnnCase& rnn_case, const RnnInputs& inputs);

/// Runs the case twice with all outputs poisoned before each run (not-a-number
/// bytes 0xFF). Records in `run`, which contains the case, the first call that
/// failed, or times, sizes and the digest.
Outputs run_lstm(const Session& session, const DeviceImage& image, RnnRun& run);

// By the v8 interface alone:

/// How much memory a case takes by cuDNN's own queries, in bytes. `failed` is
/// the first call that returned an error; the rest is then 0.
struct Spaces {
    std::optional<CallResult> failed;
    /// for training weights count twice: their gradients
    std::size_t weights = 0, work = 0, reserve = 0;
    /// inputs, outputs, states and, for training, their gradients
    std::size_t data = 0;

    std::size_t total() const {
        return weights + work + reserve + data;
    }
};

/// Allocates nothing.
Spaces spaces_of(const Session& session, const RnnCase& rnn_case);

/// Allocates all of it and runs the case once on zeros; the first call that failed.
std::optional<CallResult> run_on_zeros(const Session& session, const RnnCase& rnn_case);

}  // namespace rnncheck::vendor
