// TensorFlow's graphs (tensorflow/core/framework/graph.proto, node_def.proto,
// function.proto, attr_value.proto): recurrent cells in their operators, in
// while loops of TensorFlow 1 and 2, and the graphs of TensorFlow.js.
#include <algorithm>
#include <deque>
#include <set>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "model/operators.hpp"
#include "model/protobuf.hpp"
#include "model/readers.hpp"

namespace rnncheck::model {

namespace {

using Renamed = std::pair<std::string_view, std::string_view>;
/// Operators of TensorFlow by the names of ONNX, as far as cells are written with them.
constexpr Renamed onnx_names[] = {
    {"AddV2", "Add"},
    {"BiasAdd", "Add"},
    {"AddN", "Sum"},
    {"BatchMatMul", "MatMul"},
    {"BatchMatMulV2", "MatMul"},
    {"BatchMatMulV3", "MatMul"},
    {"Conv2D", "Conv"},
    {"Minimum", "Clip"},
    {"Maximum", "Clip"},
    {"ClipByValue", "Clip"},
    {"ConcatV2", "Concat"},
    {"StridedSlice", "Slice"},
    {"SplitV", "Split"},
    {"Unpack", "Split"},
    {"Select", "Where"},
    {"SelectV2", "Where"},
    {"ExpandDims", "Unsqueeze"},
    {"GatherV2", "Gather"},
    {"TensorArrayReadV3", "Gather"},
    {"TensorListGetItem", "Gather"},
    {"ReadVariableOp", "Identity"},
    {"Enter", "Identity"},
    {"Exit", "Identity"},
    {"Switch", "Identity"},
    {"Merge", "Identity"},
    {"NextIteration", "Identity"},
    {"StopGradient", "Identity"}};

/// Other operators keep their names: those of the activations are the same.
std::string_view onnx_name(std::string_view op) {
    const auto* const known = find_by(onnx_names, &Renamed::first, op);
    if (!known)
        return op;
    return known->second;
}

/// "while/add:z:0" is an output of "while/add".
std::string_view node_of(std::string_view input) {
    return input.substr(0, input.find(':'));
}

/// Field 5 of a NodeDef is a map: key and AttrValue. "" without the attribute.
std::string_view attribute_in(std::string_view node, std::string_view name) {
    std::string_view value;
    each_field(node, 5, [&](const ProtoField& entry) {
        if (field_of(entry.bytes, 1).bytes == name)
            value = field_of(entry.bytes, 2).bytes;
    });
    return value;
}

/// Graphs are read as those of ONNX are, by operators.cpp: each function that is called
/// becomes a graph of its own, in which its arguments are bound to the inputs of the call.
class TensorflowGraph {
  public:
    explicit TensorflowGraph(ModelFile& file) : file_(file) {
    }

    /// A GraphDef: field 1 are its nodes, field 2 its library of functions.
    void read(std::string_view graph) {
        each_field(field_of(graph, 2).bytes, 1, [&](const ProtoField& function) {
            functions_[text_of(field_of(function.bytes, 1).bytes, 1)] = function.bytes;
        });
        OperatorGraph& whole = graphs_.emplace_back();
        each_field(graph, 1, [&](const ProtoField& node) { read_node(node.bytes, whole, 0); });
        finish(whole);
        if (file_.layers.empty())
            read_other_functions(whole);
    }

    /// model.json of TensorFlow.js: the graph in JSON, the weights' names,
    /// shapes and types in a manifest.
    void read_json(const Json& model) {
        for (const Json& group : member(model, "weightsManifest"))
            for (const Json& weight : member(group, "weights")) {
                Tensor& known = constants_[text_member(weight, "name")];
                for (const Json& size : member(weight, "shape"))
                    if (size.is_number_integer())
                        known.shape.push_back(size.get<std::int64_t>());
                known.dtype = text_member(weight, "dtype");
            }
        OperatorGraph& whole = graphs_.emplace_back();
        for (const Json& node : member(member(model, "modelTopology"), "node")) {
            const Json &name = member(node, "name"), &op = member(node, "op");
            if (!name.is_string() || !op.is_string())
                continue;
            std::vector<std::string_view> inputs;
            for (const Json& input : member(node, "input"))
                if (input.is_string())
                    inputs.emplace_back(input.get_ref<const std::string&>());
            add(whole,
                op.get_ref<const std::string&>(),
                name.get_ref<const std::string&>(),
                std::move(inputs),
                "");
        }
        finish(whole);
    }

  private:
    /// Keras 2 calls the functions of its layers through the graph of objects; grappler
    /// selects among those that compute the same layer, which have the same api_implements.
    void read_other_functions(const OperatorGraph& whole) {
        std::set<std::string> seen;
        for (const auto& [name, function] : functions_) {
            std::string layer;
            each_field(function, 5, [&](const ProtoField& entry) {
                if (field_of(entry.bytes, 1).bytes == "api_implements")
                    layer = text_of(field_of(entry.bytes, 2).bytes, 2);
            });
            const bool cudnn = contains(std::string(function), "CudnnRNN");
            if (layer.empty() || !cudnn || calls_ >= most_calls || !seen.insert(layer).second)
                continue;
            ++calls_;
            const std::size_t before = file_.layers.size();
            read_function(function, {}, whole, false, 1);
            if (file_.layers.size() > before)
                file_.layers[before].name = layer.substr(0, layer.find('_'));
            if (file_.layers.size() > before)
                file_.layers.resize(before + 1);
        }
    }

    /// Functions can call each other without end.
    static constexpr int deepest = 30;
    static constexpr std::size_t most_calls = 2000, most_layers = 5000;

    /// NodeDef: 1 name, 2 op, 3 inputs, of which "^name" only orders the
    /// execution. A While has its body as "body", a call its function as "f".
    void read_node(std::string_view node, OperatorGraph& graph, int depth) {
        const std::string_view name = field_of(node, 1).bytes, op = field_of(node, 2).bytes;
        std::vector<std::string_view> inputs;
        each_field(node, 3, [&](const ProtoField& input) {
            if (!input.bytes.starts_with('^'))
                inputs.push_back(input.bytes);
        });
        read_constant(node, name, op);
        note_operator(node, name, op, inputs, graph);
        if (depth < deepest && calls_ < most_calls)
            for (const char* const attribute : {"body", "f"}) {
                const std::string called =
                    text_of(field_of(attribute_in(node, attribute), 10).bytes, 1);
                const auto* const function = look_up(functions_, called);
                if (!function && !called.empty())
                    add_once(file_.unclear, "the graph calls functions that are not in the file");
                if (!function)
                    continue;
                ++calls_;
                const bool loop = op == "While" || op == "StatelessWhile";
                read_function(*function, inputs, graph, loop || graph.loop, depth + 1);
            }
        add(graph, op, name, std::move(inputs), node);
    }

    /// The node by ONNX' names, its output by its own name: an output's
    /// number does not matter for a cell.
    void add(
        OperatorGraph& graph,
        std::string_view op,
        std::string_view name,
        std::vector<std::string_view> inputs,
        std::string_view node) {
        for (std::string_view& input : inputs)
            input = node_of(input);
        if (op == "Split" && inputs.size() > 1)
            std::swap(inputs[0], inputs[1]);  // the axis is first
        graph.loop |= op == "NextIteration";
        Operator added{
            .op = onnx_name(op),
            .name = name,
            .inputs = std::move(inputs),
            .outputs = {name},
            .message = node};
        // Only Gemm has a transposed factor among ONNX' operators.
        for (const char* const turned : {"transpose_b", "adj_y"})
            added.transposed |=
                added.op == "MatMul" && field_of(attribute_in(node, turned), 5).value == 1;
        if (added.op == "MatMul" && added.transposed)
            added.op = "Gemm";
        graph.add(std::move(added));
    }

    /// FunctionDef: 1 signature, whose field 2 are the arguments, 3 its nodes.
    void read_function(
        std::string_view function,
        const std::vector<std::string_view>& inputs,
        const OperatorGraph& around,
        bool loop,
        int depth) {
        OperatorGraph& body = graphs_.emplace_back();
        body.loop = loop;
        body.around = &around;
        std::size_t i = 0;
        each_field(field_of(function, 1).bytes, 2, [&](const ProtoField& argument) {
            std::string_view bound;
            if (i < inputs.size())
                bound = node_of(inputs[i]);
            body.outside[field_of(argument.bytes, 1).bytes] = bound;
            ++i;
        });
        each_field(
            function, 3, [&](const ProtoField& node) { read_node(node.bytes, body, depth); });
        finish(body);
    }

    /// Shapes and types of constants and variables, which are the
    /// matrices; their numbers are not read.
    void read_constant(std::string_view node, std::string_view name, std::string_view op) {
        const bool variable = op == "VarHandleOp" || op == "VariableV2" || op == "Variable";
        if (!variable && op != "Const")
            return;
        Tensor& known = constants_[std::string(name)];
        if (variable) {
            known.shape = dimensions_of(field_of(attribute_in(node, "shape"), 7).bytes, 2);
            known.dtype =
                dtype_by(&DtypeNames::tensorflow, field_of(attribute_in(node, "dtype"), 6).value);
            return;
        }
        const std::string_view tensor = field_of(attribute_in(node, "value"), 8).bytes;
        known.shape = dimensions_of(field_of(tensor, 2).bytes, 2);
        known.dtype = dtype_by(&DtypeNames::tensorflow, field_of(tensor, 1).value);
    }

    /// cuDNN's operators and those that compute a whole cell.
    void note_operator(
        std::string_view node,
        std::string_view name,
        std::string_view op,
        const std::vector<std::string_view>& inputs,
        const OperatorGraph&) {
        constexpr std::string_view fused[] = {
            "BlockLSTM", "BlockLSTMV2", "LSTMBlockCell", "GRUBlockCell"};
        const bool cudnn = op.starts_with("CudnnRNN") && !contains(op, "Backprop") &&
                           !contains(op, "Params") && !contains(op, "Canonical");
        if ((!cudnn && !includes(fused, op)) || file_.layers.size() >= most_layers)
            return;
        ModelLayer layer;
        layer.name = name;
        if (find_by(file_.layers, &ModelLayer::name, layer.name))
            return;
        layer.settings["op"] = op;
        if (cudnn) {
            // The operation's default mode is lstm (tensorflow/core/ops/cudnn_rnn_ops.cc).
            const std::string mode = text_of(attribute_in(node, "rnn_mode"), 2);
            layer.kind = from_name<LayerKind>(mode).value_or(LayerKind::lstm);
            layer.directions =
                directions_of(text_of(attribute_in(node, "direction"), 2) == "bidirectional");
        } else {
            // BlockLSTM has one matrix of input and state for its four gates, GRUBlockCell
            // one for two gates (tensorflow/core/ops/rnn_ops.cc).
            std::int64_t gates = 4;
            layer.kind = LayerKind::lstm_cell;
            if (op == "GRUBlockCell") {
                gates = 2;
                layer.kind = LayerKind::gru_cell;
            }
            layer.settings["fused"] = op;
            for (const std::string_view input : inputs)
                if (const Tensor* const known = constant_behind(input, graphs_.back());
                    known && known->shape.size() == 2 && known->shape[1] % gates == 0 &&
                    !layer.hidden) {
                    layer.hidden = size_from(known->shape[1] / gates);
                    layer.input = size_from(known->shape[0] - known->shape[1] / gates);
                }
        }
        const std::string type =
            dtype_by(&DtypeNames::tensorflow, field_of(attribute_in(node, "T"), 6).value);
        if (!type.empty())
            layer.dtype = type;
        file_.layers.push_back(std::move(layer));
    }

    /// The matrix that an input is, through Identity and the like; null where it
    /// is computed.
    const Tensor* constant_behind(std::string_view value, const OperatorGraph& graph) const {
        for (int i = 0; i < 8; ++i) {
            if (const Tensor* const known = look_up(constants_, std::string(node_of(value))))
                return known;
            const Operator* const made = graph.maker(node_of(value));
            if (!made || made->inputs.empty())
                return nullptr;
            value = made->inputs[0];
        }
        return nullptr;
    }

    /// A graph whose nodes are all read: its cells are added, except
    /// those that are there already.
    void finish(const OperatorGraph& graph) {
        const FindTensor constant = [&](std::string_view name) -> const Tensor* {
            return look_up(constants_, std::string(name));
        };
        std::vector<ModelLayer> cells = cells_in(graph, constant);
        const bool fused = std::ranges::any_of(
            file_.layers, [](const ModelLayer& one) { return one.settings.contains("op"); });
        for (ModelLayer& cell : cells) {
            // A function for the CPU beside one with cuDNN's operator (Keras
            // 2), or the same loop saved for several signatures.
            const bool same = std::ranges::any_of(file_.layers, [&](const ModelLayer& one) {
                const auto* const these = look_up(one.settings, "matrices");
                const auto* const those = look_up(cell.settings, "matrices");
                return one.name == cell.name || (these && those && *these == *those) ||
                       (fused && one.settings.contains("op") && one.hidden == cell.hidden);
            });
            if (!same && file_.layers.size() < most_layers)
                file_.layers.push_back(std::move(cell));
        }
        if (graph.loop && cells.empty() && file_.layers.empty() && multiplies(graph))
            add_once(
                file_.unclear,
                "a loop of the graph multiplies matrices, but its operators are those of no "
                "known cell");
        // A file with a layer was understood; the functions without one are not
        // of interest.
        if (!file_.layers.empty())
            file_.unclear.clear();
    }

    ModelFile& file_;
    std::map<std::string, std::string_view> functions_;
    Weights constants_;
    std::deque<OperatorGraph> graphs_;
    std::size_t calls_ = 0;
};

}  // namespace

/// A GraphDef begins with field 1, a node, which has a name and an operation in CamelCase.
bool is_tensorflow_graph(std::string_view bytes) {
    if (!bytes.starts_with('\n'))
        return false;
    try {
        Cursor cursor(bytes, 1);
        const std::string_view node = cursor.text(cursor.varint());
        const std::string op = text_of(node, 2);
        return !text_of(node, 1).empty() && op.size() > 2 && op.front() >= 'A' &&
               op.front() <= 'Z' && std::ranges::all_of(op, [](char c) {
                   return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
               });
    } catch (const InputError&) {
        return false;
    }
}

/// A MetaGraphDef begins with its MetaInfoDef; its graph is field 2.
std::string_view graph_of_meta_graph(std::string_view bytes) {
    if (!bytes.starts_with('\n'))
        return "";
    try {
        const std::string_view graph = field_of(bytes, 2).bytes;
        if (!is_tensorflow_graph(graph))
            return "";
        return graph;
    } catch (const InputError&) {
        return "";
    }
}

void add_graph_cells(std::string_view graph, ModelFile& into) {
    TensorflowGraph(into).read(graph);
}

void read_tensorflow_graph(std::string_view graph, const char* format, ModelFile& into) {
    into.format = format;
    into.framework = "tensorflow";
    add_graph_cells(graph, into);
}

void read_tensorflow_js(const Json& model, ModelFile& into) {
    const Json& topology = member(model, "modelTopology");
    const Json& keras = member(topology, "model_config");
    into.format = "tensorflow_js";
    if (!keras.is_object()) {
        into.framework = "tensorflow";
        return TensorflowGraph(into).read_json(model);
    }
    into.framework = "keras";
    if (const std::string version = text_member(topology, "keras_version"); !version.empty())
        into.version = version;
    add_keras_layers(keras, {}, into);
    into.notes.emplace_back(
        "judged as the Keras model that it was made from: TensorFlow.js itself uses cuDNN only in "
        "@tensorflow/tfjs-node-gpu");
}

}  // namespace rnncheck::model
