// The arrays of a model's file and, where a recurrent layer's weights are
// wanted, their numbers in cuDNN's order.
#pragma once

#include <functional>

#include "base/lists.hpp"
#include "model/bytes.hpp"
#include "model/model.hpp"
#include "rnn/case.hpp"

namespace rnncheck::model {

/// An array of a file: `shape` as the file has it, `bytes` a view of the file.
struct Tensor {
    std::vector<std::int64_t> shape = {};
    /// "float32"
    std::string dtype = {};
    /// from its first number on; empty where they are not read
    std::string_view bytes = {};
    /// in numbers; empty where each row follows the one before
    std::vector<std::int64_t> strides = {};
};

/// By their path in the file: "layers/lstm/cell/vars/0".
using Weights = std::map<std::string, Tensor>;

/// A type's names, or numbers, in the formats; 0 or "" where they have none.
struct DtypeNames {
    std::string_view name;
    /// nothing of a type that no weight has here
    std::optional<Dtype> real;
    /// onnx.proto's TensorProto.DataType; TensorFlow's types.proto
    std::uint64_t onnx, tensorflow;
    /// of PyTorch's classes (torch/storage.py), of the header of safetensors
    std::string_view storage, safetensors;
};
inline constexpr DtypeNames dtype_names[] = {
    {"float32", Dtype::fp32, 1, 1, "FloatStorage", "F32"},
    {"float64", Dtype::fp64, 11, 2, "DoubleStorage", "F64"},
    {"float16", Dtype::fp16, 10, 19, "HalfStorage", "F16"},
    {"bfloat16", Dtype::bf16, 16, 14, "BFloat16Storage", "BF16"},
    {"uint8", {}, 2, 0, "ByteStorage", "U8"},
    {"int8", {}, 3, 0, "CharStorage", "I8"},
    {"qint8", {}, 0, 0, "QInt8Storage", ""}};

/// "float32" by one of these; `otherwise` where it is another type.
template <class Value>
std::string dtype_by(
    Value DtypeNames::*member, const Value& value, std::string_view otherwise = "") {
    if (const auto* const names = find_by(dtype_names, member, value))
        return std::string(names->name);
    return std::string(otherwise);
}

/// Bytes of a number of this type; 0 where it is not a real one.
std::size_t bytes_of(const std::string& dtype);

/// The sizes of a recurrent layer by those of its matrices; nothing where they
/// are none of one.
struct CellSizes {
    std::int64_t input = 0, hidden = 0, gates = 0;
};
/// [gates * hidden][input] and [gates * hidden][state] or, `transposed`, the
/// other way round. `hidden`: where the state has another size.
std::optional<CellSizes> cell_sizes(
    const Tensor& input, const Tensor& state, bool transposed, std::int64_t hidden = 0);

/// The kind of so many gates: 4 of an LSTM, 3 of a GRU, else a plain RNN
/// whose nonlinearity is not known.
LayerKind kind_by(std::int64_t gates, bool cell = false);

/// 4 of an LSTM, 3 of a GRU, else 1.
std::int64_t gates_of_kind(LayerKind kind);

/// 2 of a bidirectional layer.
int directions_of(bool is_bidirectional);

/// As Python writes it: "True".
const char* python_bool(bool value);

/// "float32" of NumPy's "f4"; a type that is not real keeps its name.
std::string dtype_of_numpy(std::string_view name);

/// "float16" of Keras' policy "mixed_float16".
std::string dtype_of_policy(const std::string& policy);

/// A size as an int; nothing where it is none.
std::optional<int> size_from(std::int64_t size);

using Numbers = std::vector<double>;

/// The numbers of a matrix or vector, row by row or, transposed, column by column.
/// Nothing where they are not in the file, of a type that is not real, or too many.
std::optional<Numbers> numbers_in(const Tensor& tensor, bool transposed = false);

/// Of one direction of one layer, as the file orders them:
/// [gate][hidden][columns]. Empty: all zeros, or no projection.
struct DirectionWeights {
    Numbers input, recurrent, input_bias, recurrent_bias, projection;
};

/// The places of cuDNN's gates i, f, c, o of an LSTM and r, z, n of
/// a GRU in a framework's order.
struct GateOrder {
    std::size_t lstm[4], gru[3];
};
inline constexpr GateOrder torch_order{{0, 1, 2, 3}, {0, 1, 2}},
    keras_order{{0, 1, 2, 3}, {1, 0, 2}}, onnx_order{{0, 2, 3, 1}, {1, 0, 2}};

/// Where weights are wanted, sets the layer's from those of so many
/// pseudo-layers; none where one has none, they are more than the file has left
/// to read, or one is not finite.
void set_weights(
    ModelLayer& layer,
    const GateOrder& order,
    ModelFile& file,
    std::size_t count,
    const std::function<std::optional<DirectionWeights>(std::size_t)>& weights_of);

}  // namespace rnncheck::model
