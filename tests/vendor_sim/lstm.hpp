// The LSTM as the simulated cuDNN computes it, with the faults that SIM can plant. The simulation's own code, apart
// from src/rnn on purpose: a mistake in either shows as a difference.
#pragma once

#include <string>
#include <vector>

#include "storage.hpp"

namespace sim {

struct Shape {
    int layers = 1, directions = 1, input = 1, hidden = 1, batch = 1, steps = 1;

    int pseudo_layers() const { return layers * directions; }
    int columns(int pseudo_layer) const { return pseudo_layer < directions ? input : hidden * directions; }
};

/// Where a matrix or bias stands in the weight space, in elements.
struct Part {
    std::size_t offset = 0;
    int rows = 0, columns = 0;
};

/// First the matrices of all pseudo-layers, input side before recurrent side, then all biases in the same order.
/// `linear` is cuDNN's linLayerID: 0 to 3 input side, 4 to 7 recurrent side, gates i, f, c, o.
Part matrix_part(const Shape& shape, int pseudo_layer, int linear);
Part bias_part(const Shape& shape, int pseudo_layer, int linear);
std::size_t weight_elements(const Shape& shape);

/// One forward call in inference mode. hx, cx, hy, cy may be null.
struct Forward {
    Shape shape;
    Storage storage = Storage::fp32;
    bool tf32 = false;  ///< round the operands of fp32 products
    std::vector<int> lengths;
    std::vector<std::ptrdiff_t> rows;  ///< memory row of [sequence][step] in x and y; -1 where the layout has none
    const void *x = nullptr, *hx = nullptr, *cx = nullptr, *weights = nullptr;
    void *y = nullptr, *hy = nullptr, *cy = nullptr;
    std::vector<std::byte> fill;  ///< one element for the padded positions of y; empty: they stay as they are
    std::string fault;            ///< a planted one, or empty
};

void compute(const Forward& forward);

}  // namespace sim
