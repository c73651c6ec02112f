// Long because each form of a cell is one pattern over the same graph.
// Exporters write a custom cell, or a layer that they do not know, as matrix
// products, activations and element-wise operators. What shows an LSTM or a GRU
// is how its state is computed from the one before: the patterns here are those
// equations, with what exporters put between their operators.
#include "model/operators.hpp"

#include <algorithm>
#include <set>

#include "base/lists.hpp"
#include "base/text.hpp"

namespace rnncheck::model {

namespace {

/// HardSigmoid, also written with Clip, is Keras' hard_sigmoid. A cell with
/// another activation than tanh is a cell, too, though none of cuDNN's.
constexpr std::string_view
    sigmoids[] = {"Sigmoid", "HardSigmoid", "Clip"},
    tanhs[] = {"Tanh", "Relu", "Softsign", "Elu"},
    products[] = {"MatMul", "Gemm", "MatMulInteger", "DynamicQuantizeMatMul", "FusedMatMul"},
    convolutions[] = {"Conv", "ConvInteger"};
/// What neither multiplies nor adds: it changes the shape, the type
/// or which elements there are.
constexpr std::string_view layout_operators[] = {
    "Identity",
    "Cast",
    "Transpose",
    "Squeeze",
    "Unsqueeze",
    "Reshape",
    "Slice",
    "Split",
    "Gather",
    "Flatten",
    "CastLike",
    "Expand",
    "DequantizeLinear",
    "Where",
    "SplitToSequence",
    "Dropout",
    "Chunk",
    "SequenceAt"};
/// Between a product and the activation of a gate.
constexpr std::string_view linear_operators[] = {
    "Add", "Sum", "Mul", "BatchNormalization", "LayerNormalization", "Concat"};

/// The matrices that a gate multiplies with.
struct Products {
    std::set<std::string> matrices = {};
    bool convolved = false;
};

/// A matrix, as it is multiplied from the right: rows are its inputs.
struct Matrix2 {
    std::int64_t rows = 0, columns = 0;
    std::string dtype;
};

/// Looks for cells in one graph. An unrolled graph has the same cell for every
/// step, and a file can have a graph of any size: everything is bounded.
class CellFinder {
  public:
    CellFinder(const OperatorGraph& graph, const FindTensor& tensor)
        : graph_(graph), tensor_(tensor) {
        for (std::size_t i = 0; i < graph.operators.size(); ++i)
            for (const std::string_view input : graph.operators[i].inputs)
                uses_[input].push_back(i);
    }

    /// Plain cells only where no other was found: the tanh of an LSTM's gate
    /// has the form of a plain cell.
    std::vector<ModelLayer> find() {
        for (const Operator& add : graph_.operators) {
            if (add.op != "Add" && add.op != "Sum")
                continue;
            if (is_lstm(add))
                note(add, LayerKind::lstm_cell, 4);
            else if (is_gru(add))
                note(add, LayerKind::gru_cell, 3);
        }
        if (found_.empty())
            for (const Operator& op : graph_.operators)
                if (op.op == "Tanh" || op.op == "Relu")
                    note_plain(op);
        return std::move(found_);
    }

  private:
    /// Values that are followed from one operator; operators that are looked
    /// at in the whole graph; cells.
    static constexpr std::size_t most_steps = 400, most_work = 20'000'000, most_found = 1000;

    const Operator* maker(std::string_view value) const {
        return graph_.maker(value);
    }

    /// What makes a value, through operators of layout.
    const Operator* origin(std::string_view value) const {
        const Operator* made = maker(value);
        for (std::size_t i = 0;
             i < 8 && made && includes(layout_operators, made->op) && !made->inputs.empty();
             ++i) {
            // A Where has the condition first: its value is the second input.
            const std::size_t at = made->op == "Where";
            made = maker(made->inputs[std::min(at, made->inputs.size() - 1)]);
        }
        return made;
    }

    /// Whether one of these operators makes the value, apart from layout.
    bool is(std::string_view value, std::span<const std::string_view> operators) const {
        const Operator* const made = origin(value);
        return made && includes(operators, made->op);
    }

    /// One of the inputs of a product of two is such, and the other passes.
    template <class One, class Other>
    static bool either(const Operator* product, One&& one, Other&& other) {
        if (!product || product->op != "Mul" || product->inputs.size() != 2)
            return false;
        const auto &a = product->inputs[0], &b = product->inputs[1];
        return (one(a) && other(b)) || (one(b) && other(a));
    }

    bool is_sigmoid(std::string_view value) const {
        return is(value, sigmoids);
    }
    bool is_tanh(std::string_view value) const {
        return is(value, tanhs);
    }
    /// 1 - sigmoid.
    bool is_rest(std::string_view value) const {
        const Operator* const made = origin(value);
        return made && made->op == "Sub" && made->inputs.size() == 2 && is_sigmoid(made->inputs[1]);
    }

    /// c' = f * c + i * tanh(g), whose tanh is multiplied with a sigmoid: h' =
    /// o * tanh(c').
    bool is_lstm(const Operator& add) const {
        if (add.inputs.size() != 2 || add.outputs.empty())
            return false;
        const auto sigmoid = [&](std::string_view value) { return is_sigmoid(value); };
        const auto any = [&](std::string_view value) { return !is_rest(value); };
        const auto tanh = [&](std::string_view value) { return is_tanh(value); };
        for (const std::size_t i : {0, 1}) {
            const Operator *const written = origin(add.inputs[i]), *const kept =
                                                                       origin(add.inputs[1 - i]);
            if (either(written, sigmoid, tanh) && either(kept, sigmoid, any) &&
                is_shown(add.outputs[0]))
                return true;
        }
        return false;
    }

    /// Whether the state becomes an output: tanh(c') is multiplied with a sigmoid.
    bool is_shown(std::string_view state) const {
        for (const Operator* const activation : users(state))
            if (includes(tanhs, activation->op) && !activation->outputs.empty())
                for (const Operator* const use : users(activation->outputs[0]))
                    if (either(
                            use,
                            [&](std::string_view value) { return is_sigmoid(value); },
                            [](std::string_view) { return true; }))
                        return true;
        return false;
    }

    /// Those that use a value, through operators of layout.
    std::vector<const Operator*> users(std::string_view value) const {
        std::vector<const Operator*> found;
        std::vector<std::string_view> open{value};
        for (std::size_t i = 0; i < open.size() && i < 16; ++i) {
            const auto uses = uses_.find(open[i]);
            if (uses == uses_.end())
                continue;
            for (const std::size_t at : uses->second) {
                const Operator& use = graph_.operators[at];
                if (includes(layout_operators, use.op))
                    open.insert(open.end(), use.outputs.begin(), use.outputs.end());
                else
                    found.push_back(&use);
            }
        }
        return found;
    }

    /// h' = z * h + (1 - z) * n or n + z * (h - n), and n has a reset gate.
    bool is_gru(const Operator& add) {
        if (add.inputs.size() != 2)
            return false;
        const auto sigmoid = [&](std::string_view value) { return is_sigmoid(value); };
        const auto rest = [&](std::string_view value) { return is_rest(value); };
        const auto any = [](std::string_view) { return true; };
        const auto candidate = [&](std::string_view value) {
            return is_tanh(value) && is_reset(value);
        };
        const auto difference = [&](std::string_view value) {
            const Operator* const made = origin(value);
            return made && made->op == "Sub" && !is_rest(value);
        };
        for (const std::size_t i : {0, 1}) {
            const Operator *const one = origin(add.inputs[i]), *const other =
                                                                   origin(add.inputs[1 - i]);
            if (either(one, rest, candidate) && either(other, sigmoid, any))
                return true;
            if (either(one, rest, any) && either(other, sigmoid, candidate))
                return true;
            if (either(one, sigmoid, difference) && candidate(add.inputs[1 - i]))
                return true;
        }
        return false;
    }

    /// A product with a sigmoid before the activation, behind one matrix product at most.
    bool is_reset(std::string_view value) {
        const Operator* const activation = origin(value);
        if (!activation || activation->inputs.empty())
            return false;
        std::vector<std::pair<std::string_view, int>> open{{activation->inputs[0], 0}};
        for (std::size_t i = 0; i < open.size() && i < most_steps; ++i) {
            const auto [name, behind] = open[i];
            const Operator* const made = maker(name);
            if (!made || ++work_ > most_work)
                continue;
            if (either(
                    made,
                    [&](std::string_view input) { return is_sigmoid(input); },
                    [](std::string_view) { return true; }))
                return true;
            const bool product = includes(products, made->op) || includes(convolutions, made->op);
            if (includes(sigmoids, made->op) || includes(tanhs, made->op) ||
                (product && behind > 0))
                continue;
            for (const std::string_view input : made->inputs)
                open.emplace_back(input, behind + product);
        }
        return false;
    }

    /// The matrices behind the activations that make a value, up to the
    /// next activation before them.
    void add_products(std::string_view value, Products& into, int activations) {
        std::vector<std::pair<std::string_view, int>> open{{value, activations}};
        std::set<std::pair<std::string_view, int>> seen;
        for (std::size_t i = 0; i < open.size() && i < most_steps; ++i) {
            const auto [name, left] = open[i];
            const Operator* const made = maker(name);
            if (!made || ++work_ > most_work || !seen.insert(open[i]).second)
                continue;
            if (includes(products, made->op)) {
                if (const std::string matrix = factor_of(*made); !matrix.empty())
                    into.matrices.insert(matrix);
                continue;
            }
            if (includes(convolutions, made->op)) {
                into.convolved = true;
                continue;
            }
            const bool activation = includes(sigmoids, made->op) || includes(tanhs, made->op);
            if (activation && left == 0)
                continue;
            if (!activation && made->op != "Sub" && !includes(layout_operators, made->op) &&
                !includes(linear_operators, made->op))
                continue;
            for (const std::string_view input : made->inputs)
                open.emplace_back(input, left - activation);
        }
    }

    /// The array that a product multiplies with; "" where both are computed.
    /// With "T " before it where it is transposed.
    std::string factor_of(const Operator& product) const {
        if (product.inputs.size() < 2)
            return "";
        if (const std::string right = matrix_name(graph_, product.inputs[1]); !right.empty())
            return product.transposed ? "T " + right : right;
        const std::string left = matrix_name(graph_, product.inputs[0]);
        if (left.empty())
            return "";
        return "T " + left;
    }

    /// The name of the matrix behind a value, with "T " for each transposition between;
    /// "" where it is computed. Where the value is an input of a loop's body or of a
    /// function, the search continues in the graph around, by the name that it has there.
    std::string matrix_name(
        const OperatorGraph& graph, std::string_view value, int depth = 0) const {
        constexpr int deepest = 60;
        bool transposed = false;
        for (int i = 0; i < 12 && depth < deepest; ++i) {
            if (const Tensor* const known = tensor_(value); known && known->shape.size() == 2)
                return named(value, transposed);
            const Operator* const made = graph.maker(value);
            if (!made) {
                if (!graph.around)
                    return "";
                // A value that is no input keeps its name: bodies see the graph around.
                std::string_view outside = value;
                if (const auto outer = graph.outside.find(value); outer != graph.outside.end())
                    outside = outer->second;
                const std::string found = matrix_name(*graph.around, outside, depth + 1);
                if (found.empty())
                    return "";
                return named(found, transposed);
            }
            const bool changes = made->op == "Transpose";
            if ((!changes && !includes(layout_operators, made->op)) || made->inputs.empty())
                return "";
            transposed ^= changes;
            value = made->inputs[0];
        }
        return "";
    }

    /// The transposition is kept in the name: a matrix and its transpose are two factors.
    static std::string named(std::string_view value, bool transposed) {
        if (transposed)
            return "T " + std::string(value);
        return std::string(value);
    }

    /// Sizes and type of a name of factor_of().
    std::optional<Matrix2> matrix(std::string name) const {
        bool transposed = false;
        while (name.starts_with("T ")) {  // as many times as it is transposed
            transposed = !transposed;
            name.erase(0, 2);
        }
        const Tensor* const known = tensor_(name);
        if (!known || known->shape.size() != 2)
            return std::nullopt;
        Matrix2 found{known->shape[0], known->shape[1], known->dtype};
        if (transposed)
            std::swap(found.rows, found.columns);
        return found;
    }

    /// A cell whose state `add` computes: its matrices are those behind its
    /// gates and its candidate, which are factors of the sum's products.
    void note(const Operator& add, LayerKind kind, std::int64_t gates) {
        if (found_.size() >= most_found)
            return;
        Products behind;
        const auto add_gate = [&](std::string_view value) {
            if (is_sigmoid(value) || is_tanh(value) || is_rest(value))
                add_products(value, behind, 1);
        };
        for (const std::string_view input : add.inputs) {
            const Operator* const made = origin(input);
            if (made && made->op == "Mul")
                for (const std::string_view factor : made->inputs)
                    add_gate(factor);
            add_gate(input);
        }
        add_layer(add, kind, gates, behind);
    }

    /// Adds the cell unless another step with the same matrices is listed.
    void add_layer(const Operator& at, LayerKind kind, std::int64_t gates, const Products& behind) {
        const std::string key = join({behind.matrices.begin(), behind.matrices.end()}, "|");
        if (!known_.insert(key).second)
            return;  // a further step of the same cell
        ModelLayer layer;
        layer.kind = kind;
        if (behind.convolved && behind.matrices.empty())
            layer.kind = LayerKind::conv_lstm;
        set_sizes(layer, behind, gates);
        layer.name = place_of(at);
        layer.settings["computed"] = "step by step";
        if (graph_.loop)
            layer.settings["computed"] = "in a loop";
        if (!key.empty() && key.size() < 300)
            layer.settings["matrices"] = key;
        found_.push_back(std::move(layer));
    }

    /// The recurrent matrix is [h][gates * h], or its gates are apart; that of
    /// both inputs together [i + h][gates * h].
    void set_sizes(ModelLayer& layer, const Products& behind, std::int64_t gates) const {
        std::vector<Matrix2> all;
        for (const std::string& name : behind.matrices)
            if (const auto known = matrix(name))
                all.push_back(*known);
        if (all.empty())
            return;
        layer.dtype.reset();
        if (!all.front().dtype.empty())
            layer.dtype = all.front().dtype;
        std::int64_t wide = 0;
        for (const Matrix2& one : all)
            wide = std::max(wide, one.columns);
        // More than three matrices of the same width: each gate has its own.
        const bool apart =
            std::ranges::count_if(all, [&](const Matrix2& one) { return one.columns == wide; }) > 3;
        // TensorFlow's GRUCell has one matrix for two gates.
        const bool two =
            gates == 3 && all.size() == 2 && std::min(all[0].columns, all[1].columns) * 2 == wide;
        std::int64_t hidden = wide / gates;
        if (apart)
            hidden = wide;
        else if (two)
            hidden = wide / 2;
        if (hidden <= 0 || (!apart && !two && wide % gates != 0))
            return;
        layer.hidden = size_from(hidden);
        // Of a matrix for the state alone the rows are h; of one for input and state
        // together i + h. Which of two square matrices is the input's does not matter.
        bool state = false;
        for (const Matrix2& one : all) {
            if (one.columns % hidden != 0)
                continue;
            if (one.rows == hidden && !state)
                state = true;
            else if (!layer.input && (one.rows != hidden || all.size() <= 2))
                layer.input = size_from(one.rows);
        }
        if (!state && layer.input && *layer.input > hidden)
            layer.input = size_from(*layer.input - hidden);
        if (!layer.input && all.size() > 2)
            layer.input = size_from(hidden);
    }

    /// The module that exporters put before the operator's name:
    /// "/encoder/lstm" of "/encoder/lstm/Add_3".
    std::string place_of(const Operator& at) const {
        std::string name(at.name);
        if (name.empty() && !at.outputs.empty())
            name = at.outputs[0];
        const auto slash = name.rfind('/');
        if (slash == std::string::npos || slash == 0)
            return name;
        return name.substr(0, slash);
    }

    /// tanh(x W + h R), where h is what a step before computed with the
    /// same R, or the state of a loop.
    void note_plain(const Operator& activation) {
        if (found_.size() >= most_found || activation.inputs.empty())
            return;
        std::vector<std::string_view> open{activation.inputs[0]};
        Products behind;
        bool recurrent = false;
        for (std::size_t i = 0; i < open.size() && i < most_steps; ++i) {
            const Operator* const made = maker(open[i]);
            if (!made || ++work_ > most_work)
                continue;
            // A Gemm adds its third input, which can be the other product.
            if (includes(products, made->op) && made->inputs.size() >= 2) {
                const std::string name = factor_of(*made);
                if (name.empty())
                    continue;
                behind.matrices.insert(name);
                const auto size = matrix(name);
                recurrent |= size && size->rows == size->columns &&
                             is_state(made->inputs[0], activation.op, name);
                if (made->op == "Gemm" && made->inputs.size() > 2)
                    open.push_back(made->inputs[2]);
            } else if (
                made->op == "Add" || made->op == "Sum" || includes(layout_operators, made->op)) {
                open.insert(open.end(), made->inputs.begin(), made->inputs.end());
            }
        }
        if (recurrent)
            add_layer(activation, LayerKind::rnn_cell, 1, behind);
    }

    /// Whether a value is the cell's own state: it comes from the same
    /// activation, of a sum with the same recurrent matrix one step before, or
    /// is an input of the loop's body.
    bool is_state(std::string_view value, std::string_view op, const std::string& matrix) const {
        const Operator* const made = origin(value);
        if (!made)
            return graph_.loop && is_own_input(value);
        if (made->op != op || made->inputs.empty())
            return false;
        const Operator* sum = origin(made->inputs[0]);
        for (int depth = 0; sum && depth < 4; ++depth) {
            const Operator* next = nullptr;
            for (const std::string_view input : sum->inputs) {
                const Operator* const product = origin(input);
                if (product && includes(products, product->op) && factor_of(*product) == matrix)
                    return true;
                if (product && (product->op == "Add" || product->op == "Sum"))
                    next = product;
            }
            if (includes(products, sum->op) && factor_of(*sum) == matrix)
                return true;
            sum = next;
        }
        return false;
    }

    /// A value of the body itself, which changes from step to step.
    bool is_own_input(std::string_view value) const {
        for (int i = 0; i < 8; ++i) {
            if (graph_.outside.contains(value))
                return true;
            const Operator* const made = maker(value);
            if (!made || made->inputs.empty())
                return false;
            value = made->inputs[0];
        }
        return false;
    }

    const OperatorGraph& graph_;
    const FindTensor& tensor_;
    std::unordered_map<std::string_view, std::vector<std::size_t>> uses_;
    std::set<std::string> known_;
    std::vector<ModelLayer> found_;
    std::size_t work_ = 0;
};

}  // namespace

std::vector<ModelLayer> cells_in(const OperatorGraph& graph, const FindTensor& tensor) {
    // Most graphs of a file have no activation at all, and are not searched.
    const auto has = [&](std::string_view op) {
        return find_by(graph.operators, &Operator::op, op) != nullptr;
    };
    if (!has("Tanh") && !has("Sigmoid") && !has("Relu") && !has("HardSigmoid"))
        return {};
    return CellFinder(graph, tensor).find();
}

bool multiplies(const OperatorGraph& graph) {
    return std::ranges::any_of(graph.operators, [](const Operator& one) {
        return includes(products, one.op) || includes(convolutions, one.op);
    });
}

}  // namespace rnncheck::model
