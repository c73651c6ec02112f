// Calls that compute, as the simulated cuDNN is given them: addresses and descriptions, from which
// network.hpp's numbers are read and to which they are written.
#pragma once

#include <string>

#include "network.hpp"

namespace sim {

/// Where a matrix or bias is in the weight space, in elements. What the case does not have has
/// no rows.
struct Part {
    std::size_t offset = 0;
    int rows = 0, columns = 0;
};

/// First the matrices of all pseudo-layers, input side, recurrent side, projection; then all biases
/// in the same order. `linear` is cuDNN's linLayerID: gates on the input side, then on the
/// recurrent side; 8 is the projection.
Part matrix_part(const RnnCase& shape, int pseudo_layer, int linear);
Part bias_part(const RnnCase& shape, int pseudo_layer, int linear);
std::size_t weight_elements(const RnnCase& shape);
bool has_linear_layer(const RnnCase& shape, int linear);

/// What training keeps for the gradients.
std::size_t reserve_bytes(const RnnCase& shape);

/// A forward call or one of the backward calls. Pointers that the call does not have, or that may
/// be null, are null.
struct Call {
    RnnCase shape;  ///< its lengths are those in device memory
    bool tf32 = false;
    bool fast_math = false;  ///< tanh as tanh.approx.f32
    std::vector<std::ptrdiff_t>
        rows;  ///< memory row of [sequence][step] in x and y; -1 where the layout has none
    const void *x = nullptr, *hx = nullptr, *cx = nullptr, *weights = nullptr;
    void *y = nullptr, *hy = nullptr, *cy = nullptr;
    const void *dy = nullptr, *dhy = nullptr, *dcy = nullptr;
    void *dx = nullptr, *dhx = nullptr, *dcx = nullptr, *dweights = nullptr;
    void* reserve = nullptr;
    std::vector<std::byte>
        fill;           ///< one element for the padded positions of y; empty: they stay as they are
    std::string fault;  ///< a planted one, or empty
    double dropout = 0;                 ///< between layers, in the forward call
    std::uint64_t seed = 0, drawn = 0;  ///< of its masks, and how many were drawn from that seed
};

/// In inference mode when there is no reserve.
void compute_forward(const Call& call);
/// From x and the initial states that the forward call left in the reserve; leaves the weights'
/// gradients there.
void compute_backward_data(const Call& call);
/// Adds them to those in memory.
void compute_backward_weights(const Call& call);

}  // namespace sim
