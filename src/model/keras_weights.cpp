// Weights of Keras alone: cells by their names and shapes, the layers of Keras
// 1 by their names, and names of layers that are not known.
#include "model/keras_weights.hpp"

#include <re2/re2.h>

#include "base/if_any.hpp"
#include "base/lists.hpp"
#include "base/text.hpp"
#include "model/readers.hpp"

namespace rnncheck::model {

using re2::RE2;

/// Keras 3 numbers the variables of a layer, Keras 2 names them kernel,
/// recurrent_kernel and bias; TensorFlow adds ":0".
std::vector<CellWeights> cells_of(const Weights& weights) {
    constexpr const char* names[][3] = {
        {"/vars/0", "/vars/1", "/vars/2"},
        {"/kernel:0", "/recurrent_kernel:0", "/bias:0"},
        {"/kernel", "/recurrent_kernel", "/bias"}};
    std::vector<CellWeights> cells;
    for (const auto& [path, kernel] : weights)
        for (const auto& [of_kernel, of_recurrent, of_bias] : names) {
            if (!path.ends_with(of_kernel))
                continue;
            const std::string place =
                path.substr(0, path.size() - std::string_view(of_kernel).size());
            const Tensor* const recurrent = look_up(weights, place + of_recurrent);
            if (!recurrent)
                continue;
            if (const auto sizes = cell_sizes(kernel, *recurrent, true))
                cells.push_back(
                    {place, *sizes, &kernel, recurrent, look_up(weights, place + of_bias)});
        }
    return cells;
}

std::optional<DirectionWeights> weights_of(const CellWeights& cell) {
    const auto input = numbers_in(*cell.kernel, true), state = numbers_in(*cell.recurrent, true);
    std::optional<Numbers> bias = Numbers();
    if (cell.bias)
        bias = numbers_in(*cell.bias);
    if (!input || !state || !bias)
        return std::nullopt;
    const bool two = cell.bias && cell.bias->shape.size() == 2;
    std::size_t length = bias->size();
    if (two)
        length /= 2;
    const auto middle = bias->begin() + static_cast<std::ptrdiff_t>(length);
    return DirectionWeights{*input, *state, {bias->begin(), middle}, {middle, bias->end()}, {}};
}

namespace {

/// "layers/lstm/cell" is the layer lstm, "two/forward_gru/gru_cell" the
/// layer two in both directions.
std::string layer_around(std::string place, int& directions) {
    static const RE2 cell("/[^/]*cell$", RE2::Latin1),
        direction("/(?:forward|backward)_[^/]*$", RE2::Latin1);
    static const RE2 prefix(
        R"(^(?:model_weights/)?(?:_layer_checkpoint_dependencies\\)?(?:layers[/\\])?)",
        RE2::Latin1);
    static const RE2 model_inside("^(.*)/layers/", RE2::Latin1);
    RE2::Replace(&place, cell, "");
    if (RE2::Replace(&place, direction, ""))
        directions = 2;
    RE2::Replace(&place, prefix, "");
    RE2::Replace(&place, model_inside, R"(\1/)");
    return place;
}

std::string class_of(LayerKind kind) {
    if (kind == LayerKind::lstm)
        return "LSTM";
    if (kind == LayerKind::gru)
        return "GRU";
    return "SimpleRNN";
}

/// Of Keras 1, by the gate that the matrix is of.
LayerKind kind_of_gate(std::string_view gate) {
    if (gate.empty())
        return LayerKind::rnn;
    return gate == "i" ? LayerKind::lstm : LayerKind::gru;
}

/// By the shape of the bias: CuDNNLSTM and CuDNNGRU have two biases in one
/// vector; a GRU with reset_after has two rows.
void add_what_shapes_decide(const CellWeights& cell, ModelLayer& layer) {
    const std::int64_t one = cell.sizes.gates * cell.sizes.hidden;
    std::vector<std::int64_t> shape;
    if (cell.bias)
        shape = cell.bias->shape;
    const bool cudnn = shape.size() == 1 && shape[0] == 2 * one && cell.sizes.gates > 1;
    const std::string name = class_of(layer.kind);
    layer.settings["class"] = name;
    if (cudnn)
        layer.settings["class"] = "CuDNN" + name;
    layer.settings["use_bias"] = python_bool(cell.bias);
    if (cudnn) {
        for (const auto& [setting, value] : fixed_by_cudnn)
            layer.settings[setting] = value;
        // which these layers do not support
        layer.settings["mask"] = "none";
    } else if (layer.kind == LayerKind::gru && cell.bias) {
        layer.settings["reset_after"] = python_bool(shape.size() == 2);
    }
}

}  // namespace

void add_keras_layers(const Weights& weights, ModelFile& into) {
    for (const CellWeights& cell : cells_of(weights)) {
        ModelLayer layer;
        layer.name = layer_around(cell.place, layer.directions);
        // its other direction
        if (find_by(into.layers, &ModelLayer::name, layer.name))
            continue;
        layer.kind = kind_by(cell.sizes.gates);
        layer.input = size_from(cell.sizes.input);
        layer.hidden = size_from(cell.sizes.hidden);
        if (!cell.kernel->dtype.empty())
            layer.dtype = cell.kernel->dtype;
        if (into.format == "keras_weights")
            add_what_shapes_decide(cell, layer);
        into.layers.push_back(std::move(layer));
    }
}

/// Keras 1 has a matrix for each gate: lstm_1/lstm_1_W_i [input][hidden],
/// lstm_1/lstm_1_U_i [hidden][hidden].
void add_keras_1_layers(const Weights& weights, ModelFile& into) {
    static const RE2 form("(.*?)_U(?:_([a-z]))?(:0)?", RE2::Latin1);
    for (const auto& [path, state] : weights) {
        std::string place, gate, end;
        if (!RE2::FullMatch(path, form, &place, &gate, &end) || state.shape.size() != 2 ||
            state.shape[0] != state.shape[1])
            continue;
        if (!gate.empty() && gate != "i" && gate != "z")
            continue;
        const Tensor* const input = look_up(weights, place + "_W" + if_any("_", gate) + end);
        if (!input || input->shape.size() != 2 || input->shape[1] != state.shape[1])
            continue;
        ModelLayer layer;
        layer.name = place.substr(place.rfind('/') + 1);
        layer.kind = kind_of_gate(gate);
        layer.input = size_from(input->shape[0]);
        layer.hidden = size_from(state.shape[0]);
        if (!state.dtype.empty())
            layer.dtype = state.dtype;
        layer.settings["class"] = class_of(layer.kind);
        layer.settings["use_bias"] = "True";
        into.layers.push_back(std::move(layer));
        if (!into.version)
            into.version = "1.0";
    }
}

/// Weights named after a recurrent layer that is not among those found.
void note_unknown_weights(const Weights& weights, ModelFile& into) {
    static const RE2 named("(?i)(?:^|[/_])(?:bi|conv)?(?:lstm|gru|rnn)(?:[/_0-9]|$)", RE2::Latin1);
    if (!into.layers.empty())
        return;
    for (const auto& [path, tensor] : weights)
        if (tensor.shape.size() >= 2 && RE2::PartialMatch(path, named))
            return add_once(
                into.unclear,
                "weights are named after a recurrent layer (" + path +
                    "), but their shapes are those of no known one");
}

}  // namespace rnncheck::model
