#include "call.hpp"

namespace sim {

namespace {

int gates_of(const RnnCase& shape) {
    return shape.cell == rnncheck::Cell::lstm ? 4 : shape.cell == rnncheck::Cell::gru ? 3 : 1;
}

int columns_of(const RnnCase& shape, int pseudo_layer) {
    return pseudo_layer < shape.directions() ? shape.input : shape.directions() * shape.output();
}

Part matrix_sizes(const RnnCase& shape, int pseudo_layer, int linear) {
    if (!has_linear_layer(shape, linear))
        return {};
    if (linear == 8)
        return {0, shape.output(), shape.hidden};
    if (linear >= gates_of(shape))
        return {0, shape.hidden, shape.output()};
    const bool skipped =
        shape.input_mode == rnncheck::InputMode::skip && pseudo_layer < shape.directions();
    return skipped ? Part{} : Part{0, shape.hidden, columns_of(shape, pseudo_layer)};
}

Part bias_sizes(const RnnCase& shape, int linear) {
    using rnncheck::BiasMode;
    if (linear >= 2 * gates_of(shape))
        return {};
    const BiasMode own = linear < gates_of(shape) ? BiasMode::input : BiasMode::recurrent;
    return shape.bias == own || shape.bias == BiasMode::both ? Part{0, shape.hidden, 1} : Part{};
}

std::size_t elements(const Part& part) {
    return count(part.rows) * count(part.columns);
}

constexpr int linear_layers = 9;

}  // namespace

bool has_linear_layer(const RnnCase& shape, int linear) {
    return linear >= 0 && (linear < 2 * gates_of(shape) || (linear == 8 && shape.projection > 0));
}

Part matrix_part(const RnnCase& shape, int pseudo_layer, int linear) {
    Part part = matrix_sizes(shape, pseudo_layer, linear);
    for (int layer = 0; layer <= pseudo_layer; ++layer)
        for (int before = 0; before < (layer < pseudo_layer ? linear_layers : linear); ++before)
            part.offset += elements(matrix_sizes(shape, layer, before));
    return part;
}

Part bias_part(const RnnCase& shape, int pseudo_layer, int linear) {
    Part part = bias_sizes(shape, linear);
    part.offset = matrix_part(shape, shape.pseudo_layers(), 0).offset;
    for (int layer = 0; layer <= pseudo_layer; ++layer)
        for (int before = 0; before < (layer < pseudo_layer ? linear_layers : linear); ++before)
            part.offset += elements(bias_sizes(shape, before));
    return part;
}

std::size_t weight_elements(const RnnCase& shape) {
    return bias_part(shape, shape.pseudo_layers(), 0).offset;
}

}  // namespace sim
