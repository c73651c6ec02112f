// What the readers of all formats share: sizes and kinds by the shapes of
// matrices, names of types, and weights in cuDNN's order.
#include "model/tensor.hpp"

#include <algorithm>
#include <cmath>

#include "rnn/case.hpp"

namespace rnncheck::model {

/// Of one matrix: 8 MB as doubles. Larger layers are judged without their weights.
constexpr std::uint64_t most_numbers = 1'000'000;

/// One gate of an array, `part` numbers long; zeros where the file has none, as of a
/// layer without biases: cuDNN's weights have a place for them.
static void append_gate(Numbers& to, const Numbers& from, std::size_t gate, std::size_t part) {
    if (from.empty())
        return to.resize(to.size() + part);
    const auto begin = from.begin() + static_cast<std::ptrdiff_t>(gate * part);
    to.insert(to.end(), begin, begin + static_cast<std::ptrdiff_t>(part));
}

std::size_t bytes_of(const std::string& dtype) {
    const auto* const names = find_by(dtype_names, &DtypeNames::name, dtype);
    if (names && names->real)
        return rnncheck::bytes_of(*names->real);
    return 0;
}

std::optional<CellSizes> cell_sizes(
    const Tensor& input, const Tensor& state, bool transposed, std::int64_t hidden) {
    if (input.shape.size() != 2 || state.shape.size() != 2)
        return std::nullopt;
    const std::size_t rows = transposed;
    const std::int64_t wide = state.shape[rows];
    if (hidden == 0)
        hidden = state.shape[1 - rows];
    if (hidden <= 0 || input.shape[rows] != wide || wide % hidden != 0)
        return std::nullopt;
    // The state's matrix has `hidden` rows for each gate: how many gates there
    // are shows the kind.
    const CellSizes sizes{input.shape[1 - rows], hidden, wide / hidden};
    if (sizes.gates == 1 || sizes.gates == 3 || sizes.gates == 4)
        return sizes;
    return std::nullopt;
}

LayerKind kind_by(std::int64_t gates, bool cell) {
    struct Kinds {
        LayerKind layer, cell;
    };
    Kinds kinds{LayerKind::rnn, LayerKind::rnn_cell};
    if (gates == 4)
        kinds = {LayerKind::lstm, LayerKind::lstm_cell};
    if (gates == 3)
        kinds = {LayerKind::gru, LayerKind::gru_cell};
    if (cell)
        return kinds.cell;
    return kinds.layer;
}

std::int64_t gates_of_kind(LayerKind kind) {
    if (kind == LayerKind::lstm)
        return 4;
    if (kind == LayerKind::gru)
        return 3;
    return 1;
}

int directions_of(bool is_bidirectional) {
    if (is_bidirectional)
        return 2;
    return 1;
}

const char* python_bool(bool value) {
    return value ? "True" : "False";
}

std::string dtype_of_numpy(std::string_view name) {
    constexpr std::pair<std::string_view, const char*> real_types[] = {
        {"f4", "float32"}, {"f8", "float64"}, {"f2", "float16"}};
    for (const auto& [type, dtype] : real_types)
        if (name == type)
            return dtype;
    return std::string(name);
}

std::string dtype_of_policy(const std::string& policy) {
    constexpr std::string_view mixed = "mixed_";
    if (policy.starts_with(mixed))
        return policy.substr(mixed.size());
    return policy;
}

std::optional<int> size_from(std::int64_t size) {
    if (size > 0 && size < 1 << 30)
        return static_cast<int>(size);
    return std::nullopt;
}

std::optional<Numbers> numbers_in(const Tensor& tensor, bool transposed) {
    const auto* const names = find_by(dtype_names, &DtypeNames::name, tensor.dtype);
    if (!names || !names->real || tensor.bytes.empty() || tensor.shape.empty() ||
        tensor.shape.size() > 2)
        return std::nullopt;
    // Shapes and strides are the file's own numbers: each is checked before
    // they are multiplied, so that no product overflows. A negative one is
    // a large number without a sign.
    const auto in_range = [](std::int64_t number) {
        return static_cast<std::uint64_t>(number) <= most_numbers;
    };
    const std::int64_t width = tensor.shape.back();
    std::int64_t height = 1, row = width, column = 1;
    if (tensor.shape.size() == 2)
        height = tensor.shape.front();
    if (!tensor.strides.empty()) {
        row = tensor.strides.front();
        column = tensor.strides.back();
    }
    for (const std::int64_t number : {height - 1, width - 1, row, column})
        if (!in_range(number))
            return std::nullopt;
    const std::int64_t span = (height - 1) * row + (width - 1) * column + 1;
    if (!in_range(span) || !in_range(height * width))
        return std::nullopt;
    // A transposed matrix of PyTorch is its original with other strides: what
    // lies between its first and its last number is decoded, then picked from.
    const std::string_view bytes =
        slice(tensor.bytes, 0, static_cast<std::uint64_t>(span) * bytes_of(tensor.dtype));
    const Numbers all = decode(std::as_bytes(std::span(bytes.data(), bytes.size())), *names->real);
    Numbers numbers;
    for (std::int64_t i = 0; i < height * width; ++i) {
        std::int64_t y = i / width, x = i % width;
        if (transposed) {
            y = i % height;
            x = i / height;
        }
        numbers.push_back(all[static_cast<std::size_t>(y * row + x * column)]);
    }
    return numbers;
}

void set_weights(
    ModelLayer& layer,
    const GateOrder& order,
    ModelFile& file,
    std::size_t count,
    const std::function<std::optional<DirectionWeights>(std::size_t)>& weights_of) {
    if (file.weights_wanted == 0)
        return;
    Numbers all;
    const std::size_t hidden = static_cast<std::size_t>(layer.hidden.value_or(0));
    const auto gates = static_cast<std::size_t>(gates_of_kind(layer.kind));
    // A file with a bias of another size is judged, but not computed.
    const auto is_bias = [&](const Numbers& bias) {
        return bias.empty() || bias.size() == gates * hidden;
    };
    for (std::size_t i = 0; i < count; ++i) {
        const auto weights = weights_of(i);
        if (!weights || hidden == 0 || !is_bias(weights->input_bias) ||
            !is_bias(weights->recurrent_bias))
            return;
        for (std::size_t gate = 0; gate < gates; ++gate) {
            std::size_t place = 0;
            if (gates == 4)
                place = order.lstm[gate];
            if (gates == 3)
                place = order.gru[gate];
            append_gate(all, weights->input, place, weights->input.size() / gates);
            append_gate(all, weights->recurrent, place, weights->recurrent.size() / gates);
            append_gate(all, weights->input_bias, place, hidden);
            append_gate(all, weights->recurrent_bias, place, hidden);
        }
        all.insert(all.end(), weights->projection.begin(), weights->projection.end());
    }
    // A number that is not finite spreads through the whole output: a
    // computation with it would show nothing about cuDNN.
    const bool finite =
        std::ranges::all_of(all, [](double number) { return std::isfinite(number); });
    if (all.empty() || all.size() > file.weights_wanted || !finite)
        return;
    file.weights_wanted -= all.size();
    layer.weights = std::move(all);
}

}  // namespace rnncheck::model
