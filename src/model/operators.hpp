// Recurrent cells that a graph computes with elementary operators: in the body
// of a loop, or one step after another.
#pragma once

#include <functional>
#include <unordered_map>

#include "model/tensor.hpp"

namespace rnncheck::model {

/// An operator of a graph by its name in ONNX: Add, Mul, Sub, MatMul, Gemm,
/// Sigmoid, Tanh. Texts are views into the file.
struct Operator {
    std::string_view op, name;
    std::vector<std::string_view> inputs = {}, outputs = {};
    /// a Gemm that transposes its second input
    bool transposed = false;
    /// of the file, for its attributes
    std::string_view message = {};
    /// its graphs, among those inside its graph
    std::vector<std::size_t> inner = {};
};

/// A graph or the body of a loop, of ONNX or of TensorFlow.
struct OperatorGraph {
    std::vector<Operator> operators = {};
    /// Inputs of a loop's body or of a function, and what they are outside.
    std::unordered_map<std::string_view, std::string_view> outside = {};
    /// the operator of each output
    std::unordered_map<std::string_view, std::size_t> makers = {};
    /// the body of a Loop or Scan, of a while, and what is in it
    bool loop = false;
    /// the graph whose values it can use besides its own
    const OperatorGraph* around = nullptr;

    /// The first operator of a name counts: a valid graph has none twice.
    void add(Operator added) {
        for (const std::string_view output : added.outputs)
            if (!output.empty())
                makers.try_emplace(output, operators.size());
        operators.push_back(std::move(added));
    }
    /// Null for a constant or an input of the graph.
    const Operator* maker(std::string_view value) const {
        const auto found = makers.find(value);
        if (found == makers.end())
            return nullptr;
        return &operators[found->second];
    }
};

/// The array of a name, if it is a constant of the file.
using FindTensor = std::function<const Tensor*(std::string_view)>;

/// LSTM, GRU and plain RNN cells by how their state is computed; each once,
/// however many steps the graph has. Sizes are those of the matrices that the
/// gates multiply with, where these are in the file. `settings["computed"]` is
/// "in a loop", "step by step".
std::vector<ModelLayer> cells_in(const OperatorGraph& graph, const FindTensor& tensor);

/// Whether a loop's body multiplies matrices, so that it could be a network of
/// a kind that cells_in() does not know.
bool multiplies(const OperatorGraph& graph);

}  // namespace rnncheck::model
