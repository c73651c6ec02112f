// Long because shapes and types have to be followed through the operators of layout.
// ONNX (onnx.proto, https://github.com/onnx/onnx/blob/main/onnx/onnx.proto):
// LSTM, GRU and RNN nodes, also in subgraphs and functions, and cells that a
// graph computes with other operators.
#include <algorithm>
#include <filesystem>
#include <set>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "model/operators.hpp"
#include "model/protobuf.hpp"
#include "model/readers.hpp"

namespace rnncheck::model {

namespace {

constexpr int deepest_subgraph = 50;

// Numbers of fields.
namespace graph_field {
constexpr std::uint64_t node = 1, initializer = 5, input = 11, output = 12, value_info = 13;
}
namespace function_field {
constexpr std::uint64_t name = 1, input = 4, output = 5, node = 7, domain = 10;
}
namespace node_field {
constexpr std::uint64_t input = 1, output = 2, name = 3, op_type = 4, attribute = 5, domain = 7;
}
namespace attribute_field {
constexpr std::uint64_t name = 1, f = 2, i = 3, s = 4, tensor = 5, graph = 6, floats = 7, ints = 8,
                        strings = 9, graphs = 11;
}
namespace tensor_field {
constexpr std::uint64_t dims = 1, type = 2, floats = 4, int64s = 7, name = 8, raw = 9, doubles = 10,
                        external = 13;
}

/// The contents of a repeated field.
std::vector<std::string_view> views_of(std::string_view message, std::uint64_t number) {
    std::vector<std::string_view> views;
    each_field(message, number, [&](const ProtoField& field) { views.push_back(field.bytes); });
    return views;
}

/// An input that is left out is empty, as is one behind the last.
std::string_view item_at(const std::vector<std::string_view>& inputs, std::size_t i) {
    if (i >= inputs.size())
        return {};
    return inputs[i];
}

/// The kind of an operator whose nonlinearity is the default: Tanh of an RNN.
LayerKind kind_of_operator(std::string_view op) {
    if (op == "GRU")
        return LayerKind::gru;
    if (op == "RNN")
        return LayerKind::rnn_tanh;
    return LayerKind::lstm;
}

/// A graph with those inside its If, Loop and Scan nodes and its calls of functions.
struct OnnxGraph : OperatorGraph {
    std::string_view name = {};
    std::vector<std::string_view> results = {};
    std::vector<std::unique_ptr<OnnxGraph>> graphs = {};
};

/// Reads a whole model: first its graphs, then, with all tensors known, its layers.
class OnnxModel {
  public:
    OnnxModel(std::string_view model, const std::string& directory, ModelFile& file)
        : directory_(directory), file_(file) {
        // Fields of ModelProto: 2 producer_name, 3 producer_version, 7 graph,
        // 8 opset_import, 25 functions.
        if (field_of(model, 7).bytes.empty() || field_of(model, 8).bytes.empty())
            throw InputError(
                "it is not an ONNX model: it has no graph or no version of the operators");
        file.format = file.framework = "onnx";
        std::string version = text_of(model, 3);
        if (const auto end = version.find(' '); end != std::string::npos)
            version.resize(end);  // tf2onnx adds a commit
        const std::string producer = text_of(model, 2);
        if (!producer.empty())
            file.notes.emplace_back(trim("written by " + producer + " " + version));
        each_field(model, 8, [&](const ProtoField& opset) {
            if (text_of(opset.bytes, 1).empty())
                opset_ = field_of(opset.bytes, 2).value;
        });
        each_field(model, 25, [&](const ProtoField& function) {
            functions_[text_of(function.bytes, function_field::name)] = function.bytes;
        });
        OnnxGraph graph;
        each_field(model, 7, [&](const ProtoField& field) { read_graph(field.bytes, graph, 0); });
        add_layers(graph, "");
        const auto in_branch = [](const ModelLayer& layer) {
            return layer.settings.contains("branch");
        };
        if (std::ranges::count_if(file.layers, in_branch) > 1)
            file.notes.emplace_back(
                "layers in the branches of an If are alternatives: one branch runs");
        if (!missing_.empty())
            file.notes.push_back(
                "its weights are in files that are missing from its directory: " +
                join({missing_.begin(), missing_.end()}, ", "));
    }

  private:
    /// Functions are copied into each call, shapes are followed back and forth:
    /// a small file must not become a long computation.
    static constexpr std::size_t most_calls = 5000, most_looked_up = 500'000;

    /// Tensors are kept by name for all graphs together: names of subgraphs are
    /// distinct from those around them (docs/IR.md).
    void read_graph(std::string_view message, OnnxGraph& graph, int depth) {
        if (depth > deepest_subgraph)
            damaged("graphs are nested too deeply");
        graph.name = field_of(message, 2).bytes;
        each_field(message, graph_field::initializer, [&](const ProtoField& tensor) {
            read_tensor(tensor.bytes, "");
        });
        for (const std::uint64_t number : {graph_field::input, graph_field::value_info})
            each_field(
                message, number, [&](const ProtoField& value) { read_value_info(value.bytes); });
        each_field(message, graph_field::output, [&](const ProtoField& value) {
            graph.results.push_back(field_of(value.bytes, 1).bytes);
            read_value_info(value.bytes);
        });
        each_field(message, graph_field::node, [&](const ProtoField& node) {
            read_node(node.bytes, graph, depth);
        });
    }

    /// A node with the graphs inside it. Those of a Loop or Scan are bodies of a
    /// loop; the two of an If are alternatives.
    void read_node(std::string_view node, OnnxGraph& graph, int depth) {
        Operator added{
            .op = field_of(node, node_field::op_type).bytes,
            .name = field_of(node, node_field::name).bytes,
            .inputs = views_of(node, node_field::input),
            .outputs = views_of(node, node_field::output),
            .message = node};
        added.transposed = (added.op == "Gemm" && number_attribute(node, "transB") == 1);
        each_field(node, node_field::attribute, [&](const ProtoField& attribute) {
            for (const std::uint64_t number : {attribute_field::graph, attribute_field::graphs})
                each_field(attribute.bytes, number, [&](const ProtoField& inner) {
                    added.inner.push_back(graph.graphs.size());
                    OnnxGraph& inside = *graph.graphs.emplace_back(std::make_unique<OnnxGraph>());
                    inside.loop = added.op == "Loop" || added.op == "Scan";
                    inside.outside = bound_inputs(views_of(inner.bytes, graph_field::input), added);
                    read_graph(inner.bytes, inside, depth + 1);
                });
            if (added.op == "Constant")
                read_constant(attribute.bytes, added);
        });
        if (const auto* const function = look_up(functions_, std::string(added.op)))
            read_call(*function, added, graph, depth);
        graph.add(std::move(added));
    }

    /// A constant can be a tensor or, since opset 12, a number or a list of numbers.
    void read_constant(std::string_view attribute, const Operator& constant) {
        if (constant.outputs.empty())
            return;
        const std::string output(constant.outputs.front());
        each_field(attribute, attribute_field::tensor, [&](const ProtoField& tensor) {
            read_tensor(tensor.bytes, output);
        });
        const std::string name = text_of(attribute, attribute_field::name);
        if (name == "value_ints")
            integers_[output] = numbers_of(attribute, attribute_field::ints);
        if (name == "value_int")
            integers_[output] = {
                static_cast<std::int64_t>(field_of(attribute, attribute_field::i).value)};
    }

    /// The inputs of a body by those of its node: a Loop has the number of the
    /// step first, whose place is that of its first input; so they have the
    /// same places. A Scan's are the same.
    static std::unordered_map<std::string_view, std::string_view> bound_inputs(
        const std::vector<std::string_view>& values, const Operator& node) {
        std::unordered_map<std::string_view, std::string_view> bound;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const std::string_view name = field_of(values[i], 1).bytes;
            bound[name] = item_at(node.inputs, i);
        }
        return bound;
    }

    /// A function of the file is read where it is called, with what it is called with.
    void read_call(std::string_view function, Operator& call, OnnxGraph& graph, int depth) {
        if (depth > deepest_subgraph || ++calls_ > most_calls)
            damaged("functions call each other too often");
        call.inner.push_back(graph.graphs.size());
        OnnxGraph& inside = *graph.graphs.emplace_back(std::make_unique<OnnxGraph>());
        const auto formal = views_of(function, function_field::input);
        for (std::size_t i = 0; i < formal.size(); ++i)
            inside.outside[formal[i]] = item_at(call.inputs, i);
        inside.results = views_of(function, function_field::output);
        each_field(function, function_field::node, [&](const ProtoField& node) {
            read_node(node.bytes, inside, depth + 1);
        });
    }

    /// Layers by their nodes, and those of a graph that are written with other
    /// operators, in the order of the file.
    void add_layers(OnnxGraph& graph, const std::string& branch) {
        constexpr std::size_t most_layers = 10'000;
        for (auto& inside : graph.graphs)
            inside->around = &graph;
        for (const Operator& node : graph.operators) {
            if (file_.layers.size() > most_layers)
                return;
            for (const std::size_t inner : node.inner) {
                std::string inside = branch;
                if (node.op == "If" && node.name.empty())
                    inside += "/If";
                else if (node.op == "If")
                    inside += "/" + std::string(node.name);
                add_layers(*graph.graphs[inner], inside);
            }
            const std::string op(node.op);
            if (op == "LSTM" || op == "GRU" || op == "RNN" || op == "DynamicQuantizeLSTM")
                add_layer(node, op, graph, branch);
            else if (node.inner.empty())
                note_unknown(node, op);
        }
        add_cells(graph, branch);
    }

    /// Cells that are written with elementary operators, such as of torch.onnx'
    /// loops over LSTMCell. Only an initializer or a Constant can be a cell's
    /// matrix, not another value whose shape is known.
    void add_cells(const OnnxGraph& graph, const std::string& branch) {
        const FindTensor constant = [&](std::string_view name) -> const Tensor* {
            if (!constants_.contains(name))
                return nullptr;
            return find(std::string(name));
        };
        const std::vector<ModelLayer> cells = cells_in(graph, constant);
        for (ModelLayer layer : cells) {
            layer.settings["op"] = "operators";
            if (!branch.empty())
                layer.settings["branch"] = branch;
            file_.layers.push_back(std::move(layer));
        }
        if (graph.loop && cells.empty() && multiplies(graph) && file_.layers.empty())
            add_once(
                file_.unclear,
                "a loop (" + std::string(graph.name) +
                    ") multiplies matrices, but its operators are those of no known cell");
    }

    /// An operator of a library of its own, named after a recurrent layer.
    /// PyTorch exports an operator that ONNX lacks as ATen or PythonOp,
    /// whose attribute has its name.
    void note_unknown(const Operator& node, const std::string& op) {
        const std::string domain = text_of(node.message, node_field::domain);
        std::string name = lower(op);
        if (op == "ATen")
            name += lower(text_attribute(node.message, "operator"));
        if (op == "PythonOp")
            name += lower(text_attribute(node.message, "name"));
        const bool own = !domain.empty() && domain != "ai.onnx" && domain != "ai.onnx.ml";
        if (own && (contains(name, "lstm") || contains(name, "gru") || contains(name, "rnn")))
            add_once(
                file_.unclear,
                "the operator " + domain + "." + op +
                    " is not one of ONNX; its name is that of a recurrent layer");
    }

    /// AttributeProto of a node; "" without one.
    static std::string_view attribute_of(std::string_view node, std::string_view name) {
        std::string_view found;
        each_field(node, node_field::attribute, [&](const ProtoField& attribute) {
            if (field_of(attribute.bytes, attribute_field::name).bytes == name)
                found = attribute.bytes;
        });
        return found;
    }

    static std::string text_attribute(std::string_view node, std::string_view name) {
        return text_of(attribute_of(node, name), attribute_field::s);
    }

    /// Field i; nothing where the node does not have the attribute, which is not
    /// the same as 0.
    static std::optional<std::int64_t> number_attribute(
        std::string_view node, std::string_view name) {
        const std::string_view attribute = attribute_of(node, name);
        if (attribute.empty())
            return std::nullopt;
        return static_cast<std::int64_t>(field_of(attribute, attribute_field::i).value);
    }

    /// An initializer, or the value of a Constant node, whose output names it.
    void read_tensor(std::string_view tensor, const std::string& name) {
        std::string own_name = name;
        if (own_name.empty())
            own_name = text_of(tensor, tensor_field::name);
        const std::uint64_t type = field_of(tensor, tensor_field::type).value;
        Tensor& known = tensors_[own_name];
        known = {numbers_of(tensor, tensor_field::dims), dtype_by(&DtypeNames::onnx, type)};
        constants_.insert(own_name);
        read_integers(tensor, type, known.shape, own_name);
        for (const std::uint64_t data :
             {tensor_field::raw, tensor_field::floats, tensor_field::doubles})
            if (known.bytes.empty())
                known.bytes = field_of(tensor, data).bytes;
        // Models above 2 GB, the limit of protocol buffers, have their weights
        // in a file beside them (onnx/docs/ExternalData.md): `location`, and
        // perhaps `offset` and `length`.
        TextMap external;
        each_field(tensor, tensor_field::external, [&](const ProtoField& entry) {
            external[text_of(entry.bytes, 1)] = text_of(entry.bytes, 2);
        });
        if (external.contains("location"))
            read_external(external, known);
    }

    /// Those of a short vector, such as the axes of an operator.
    void read_integers(
        std::string_view tensor,
        std::uint64_t type,
        const std::vector<std::int64_t>& shape,
        const std::string& name) {
        constexpr std::uint64_t int64_type = 7;
        constexpr std::size_t most = 16;
        const bool shorter =
            shape.empty() || (shape.size() == 1 && shape[0] >= 0 && shape[0] <= std::int64_t{most});
        if (type != int64_type || !shorter)
            return;
        std::vector<std::int64_t> numbers = numbers_of(tensor, tensor_field::int64s);
        const std::string_view raw = field_of(tensor, tensor_field::raw).bytes;
        for (std::size_t at = 0; at + 8 <= raw.size() && numbers.size() < most; at += 8)
            numbers.push_back(static_cast<std::int64_t>(little(raw, at, 8)));
        integers_[name] = std::move(numbers);
    }

    /// A location that leads out of the model's directory is not followed:
    /// ONNX' checker rejects it, too.
    void read_external(TextMap& external, Tensor& into) {
        const std::string& location = external["location"];
        const bool inside =
            !location.empty() && location.front() != '/' && !contains(location, "..");
        const std::string path = directory_ + "/" + location;
        std::error_code error;
        if (!inside || !std::filesystem::exists(path, error)) {
            missing_.insert(location);
        } else if (file_.weights_wanted > 0) {
            auto& data = data_[location];
            if (!data)
                data = std::make_unique<MappedFile>(path);
            const auto at = number_from<std::uint64_t>(external["offset"]).value_or(0);
            into.bytes = data->bytes().substr(std::min<std::uint64_t>(at, data->bytes().size()));
        }
    }

    /// ValueInfoProto: a name, and of a tensor type and shape.
    void read_value_info(std::string_view value) {
        const std::string_view tensor = field_of(field_of(value, 2).bytes, 1).bytes;
        tensors_.try_emplace(
            text_of(value, 1),
            Tensor{
                dimensions_of(field_of(tensor, 2).bytes, 1),
                dtype_by(&DtypeNames::onnx, field_of(tensor, 1).value)});
    }

    /// A layer by its node. Inputs are X, W, R, B, sequence_lens, initial_h,
    /// initial_c, P (onnx/docs/Operators.md, LSTM); GRU and RNN have the first six.
    void add_layer(
        const Operator& node,
        const std::string& op,
        const OnnxGraph& graph,
        const std::string& branch) {
        std::vector<std::string> inputs(node.inputs.begin(), node.inputs.end());
        inputs.resize(std::max<std::size_t>(inputs.size(), 8));
        ModelLayer layer;
        layer.name = node.name;
        for (const std::string_view output : node.outputs)
            if (layer.name.empty())
                layer.name = output;
        layer.kind = kind_of_operator(op);
        layer.settings["op"] = op;
        // The operators were defined again in opsets 7, 14 and 22.
        layer.settings["opset"] = "7";
        for (const std::uint64_t defined : {14, 22})
            if (opset_ >= defined)
                layer.settings["opset"] = std::to_string(defined);
        if (!branch.empty())
            layer.settings["branch"] = branch;
        each_field(node.message, node_field::attribute, [&](const ProtoField& attribute) {
            set(layer, attribute.bytes);
        });
        layer.directions = directions_of(layer.settings["direction"] == "bidirectional");
        const auto yes_if_given = [&](std::size_t i) { return inputs[i].empty() ? "no" : "yes"; };
        layer.settings["bias"] = yes_if_given(3);
        layer.settings["sequence_lens"] = yes_if_given(4);
        if (op == "GRU")
            layer.settings.emplace("linear_before_reset", "0");  // ONNX' default
        if (layer.kind == LayerKind::lstm)
            layer.settings["peepholes"] = yes_if_given(7);
        set_sizes(layer, inputs, graph);
        if (op == "RNN" && lower(layer.settings["activations"]).starts_with("relu"))
            layer.kind = LayerKind::rnn_relu;
        std::erase_if(layer.settings, [](const auto& setting) { return setting.second.empty(); });
        set_weights(
            layer,
            onnx_order,
            file_,
            static_cast<std::size_t>(layer.directions),
            [&](std::size_t direction) { return weights_of(inputs, direction); });
        file_.layers.push_back(std::move(layer));
    }

    /// An attribute as text, whichever type it has. Floats are only activation_alpha
    /// and activation_beta, of which it matters whether they are set.
    static void set(ModelLayer& layer, std::string_view attribute) {
        const std::string name = text_of(attribute, attribute_field::name);
        const ProtoField whole = field_of(attribute, attribute_field::i);
        const std::vector<std::string> strings = texts_of(attribute, attribute_field::strings);
        std::string value = join(strings, ",");
        if (strings.empty())
            value = text_of(attribute, attribute_field::s);
        if (value.empty() && whole.number > 0)
            value = std::to_string(static_cast<std::int64_t>(whole.value));
        if (const ProtoField real = field_of(attribute, attribute_field::f);
            value.empty() && real.number > 0)
            value = short_number(std::bit_cast<float>(static_cast<std::uint32_t>(real.value)));
        if (value.empty() && field_of(attribute, attribute_field::floats).number > 0)
            value = "set";
        layer.settings[name] = value;
        if (name == "hidden_size")
            layer.hidden = number_from(value);
    }

    /// Null for a name of which neither type nor shape is known.
    const Tensor* find(const std::string& name) const {
        return look_up(tensors_, name);
    }

    /// W is [directions][gates * hidden][input], R [directions][gates *
    /// hidden][hidden]; the last two in other order where they are quantized.
    /// The sizes come from W and R, and where these are computed from data and state.
    void set_sizes(
        ModelLayer& layer, const std::vector<std::string>& inputs, const OnnxGraph& graph) const {
        const Tensor data = known_of(inputs[0], graph, 0), weights = known_of(inputs[1], graph, 0),
                     state = known_of(inputs[2], graph, 0);
        const bool quantized = layer.settings["op"] == "DynamicQuantizeLSTM";
        std::size_t columns = 2;
        if (quantized)
            columns = 1;
        if (weights.shape.size() == 3)
            layer.input = size_from(weights.shape[columns]);
        if (!layer.input && data.shape.size() == 3)
            layer.input = size_from(data.shape[2]);
        if (!layer.hidden && state.shape.size() == 3)
            layer.hidden = size_from(state.shape[columns]);
        // The weights of a quantized layer have another type than its data, which is
        // float32 (ONNX Runtime's docs/ContribOperators.md, DynamicQuantizeLSTM).
        if (quantized)
            layer.dtype = "float32";
        for (const Tensor* const tensor : {&data, &weights, &state})
            if (!layer.dtype && !tensor->dtype.empty())
                layer.dtype = tensor->dtype;
        if (quantized || !layer.hidden)
            return;
        const std::string contradiction = contradiction_in(layer, inputs, graph);
        if (!contradiction.empty())
            layer.settings["contradiction"] = contradiction;
    }

    /// The first shape that does not fit the others; "" where all fit. Sizes
    /// that are not in the file fit.
    std::string contradiction_in(
        const ModelLayer& layer,
        const std::vector<std::string>& inputs,
        const OnnxGraph& graph) const {
        const std::int64_t gates = gates_of_kind(layer.kind);
        const std::int64_t hidden = *layer.hidden, rows = gates * hidden, any = 0;
        const struct {
            std::size_t input;
            const char* name;
            std::vector<std::int64_t> shape;
        } wanted[] = {
            {1, "W", {layer.directions, rows, layer.input.value_or(0)}},
            {2, "R", {layer.directions, rows, hidden}},
            {3, "B", {layer.directions, 2 * rows}},
            {5, "initial_h", {any, any, hidden}},
            {6, "initial_c", {any, any, hidden}},
            {7, "P", {layer.directions, 3 * hidden}}};
        for (const auto& [input, name, shape] : wanted) {
            if (inputs[input].empty())
                continue;
            const Tensor tensor = known_of(inputs[input], graph, 0);
            if (tensor.shape.empty())
                continue;
            bool fits = tensor.shape.size() == shape.size();
            for (std::size_t i = 0; fits && i < shape.size(); ++i)
                fits = tensor.shape[i] <= 0 || shape[i] == any || tensor.shape[i] == shape[i];
            if (!fits)
                return concat(
                    "hidden_size is ",
                    hidden,
                    ", but ",
                    name,
                    " has the shape ",
                    shape_in_words(tensor.shape),
                    " instead of ",
                    shape_in_words(shape));
        }
        return "";
    }

    /// As a list of Python; "?" for a size that is not known.
    static std::string shape_in_words(const std::vector<std::int64_t>& shape) {
        const auto word = [](std::int64_t size) {
            if (size <= 0)
                return std::string("?");
            return std::to_string(size);
        };
        return "[" + join(mapped(shape, word), ", ") + "]";
    }

    /// Type and shape of a value as far as the graph shows them: of arrays, graph
    /// inputs, and what operators of layout make of those. Unknown sizes are 0.
    Tensor known_of(const std::string& name, const OperatorGraph& graph, int depth) const {
        constexpr int deepest = 40;
        if (name.empty() || depth > deepest || ++looked_up_ > most_looked_up)
            return {};
        const Operator* const made = graph.maker(name);
        if (const Tensor* const known = find(name); known && (!made || is_whole(*known)))
            return *known;
        if (made)
            return result_of(*made, name, graph, depth);
        if (!graph.around)
            return {};
        std::string outside = name;
        const auto outer = graph.outside.find(name);
        const bool bound = outer != graph.outside.end();
        if (bound)
            outside = outer->second;
        const Tensor found = known_of(outside, *graph.around, depth + 1);
        // Of a loop's input each step has a part or a value of its own.
        if (bound && graph.loop)
            return {{}, found.dtype};
        return found;
    }

    /// Every size is known.
    static bool is_whole(const Tensor& tensor) {
        return !tensor.shape.empty() &&
               std::ranges::all_of(tensor.shape, [](std::int64_t size) { return size > 0; });
    }

    /// Type and shape that an operator makes. Exporters shape the weights of a bidirectional
    /// layer with these before they reach the node; of others only the type is known, if
    /// they keep it. Axes and sizes are an input or, in older opsets, an attribute.
    Tensor result_of(
        const Operator& made,
        const std::string& name,
        const OperatorGraph& graph,
        int depth) const {
        if (made.op == "If" && !made.inner.empty())
            return branch_result(made, name, graph, depth);
        if (made.inputs.empty())
            return {};
        Tensor first = known_of(std::string(made.inputs[0]), graph, depth + 1);
        first.bytes = {};
        const auto integers = [&](std::size_t input,
                                  const char* attribute) -> std::vector<std::int64_t> {
            if (const auto found = attribute_of(made.message, attribute); !found.empty())
                return numbers_of(found, attribute_field::ints);
            if (input >= made.inputs.size())
                return {};
            const auto* const known = look_up(integers_, std::string(made.inputs[input]));
            if (!known)
                return {};
            return *known;
        };
        if (made.op == "Identity" || made.op == "Dropout")
            return first;
        if (made.op == "Cast")
            return {
                first.shape,
                dtype_by(
                    &DtypeNames::onnx,
                    static_cast<std::uint64_t>(number_attribute(made.message, "to").value_or(0)))};
        if (made.op == "Unsqueeze")
            return unsqueezed(first, integers(1, "axes"));
        if (made.op == "Squeeze")
            return squeezed(first, integers(1, "axes"));
        if (made.op == "Transpose")
            return transposed(first, integers(99, "perm"));
        if (made.op == "Concat")
            return concatenated(first, made, graph, depth);
        if (made.op == "Slice")
            return sliced(
                first,
                integers(1, "starts"),
                integers(2, "ends"),
                integers(3, "axes"),
                integers(4, "steps"),
                made.inputs.size() > 3 || !attribute_of(made.message, "axes").empty());
        if (made.op == "Reshape")
            return reshaped(first, integers(1, "shape"));
        if (!keeps_type(made.op))
            return {};
        return {{}, first.dtype};
    }

    /// Operators whose result has the type of their first input,
    /// among those that lead to a layer.
    static bool keeps_type(std::string_view op) {
        constexpr std::string_view keeping[] = {
            "Gather",
            "Split",
            "Expand",
            "Relu",
            "Conv",
            "Add",
            "Mul",
            "MatMul",
            "Gemm",
            "Tanh",
            "Pad",
            "BatchNormalization",
            "Reduce",
            "Sigmoid",
            "LSTM",
            "GRU",
            "RNN"};
        return includes(keeping, op);
    }

    /// Both branches of an If have results of the same type: those of the first are taken.
    Tensor branch_result(
        const Operator& choice,
        const std::string& name,
        const OperatorGraph& graph,
        int depth) const {
        const auto at = std::ranges::find(choice.outputs, name) - choice.outputs.begin();
        const auto& inside = *static_cast<const OnnxGraph&>(graph).graphs[choice.inner.front()];
        if (at >= std::ssize(inside.results))
            return {};
        return known_of(
            std::string(inside.results[static_cast<std::size_t>(at)]), inside, depth + 1);
    }

    /// An axis from the end is negative.
    static std::int64_t place_in(std::int64_t axis, std::size_t rank) {
        if (axis < 0)
            return axis + static_cast<std::int64_t>(rank);
        return axis;
    }

    /// The axes count in the result, so they are inserted in their order.
    static Tensor unsqueezed(Tensor tensor, const std::vector<std::int64_t>& axes) {
        if (tensor.shape.empty() || axes.empty())
            return {{}, tensor.dtype};
        const std::size_t rank = tensor.shape.size() + axes.size();
        std::set<std::int64_t> places;
        for (const std::int64_t axis : axes)
            places.insert(place_in(axis, rank));
        for (const std::int64_t place : places) {
            if (place < 0 || place > std::ssize(tensor.shape))
                return {{}, tensor.dtype};
            tensor.shape.insert(tensor.shape.begin() + place, 1);
        }
        return tensor;
    }

    /// From the last to the first, so that the places of the others remain.
    /// Without axes every size of 1 goes, which needs all sizes.
    static Tensor squeezed(Tensor tensor, const std::vector<std::int64_t>& axes) {
        if (tensor.shape.empty() || axes.empty())
            return {{}, tensor.dtype};
        std::set<std::int64_t, std::greater<>> places;
        for (const std::int64_t axis : axes)
            places.insert(place_in(axis, tensor.shape.size()));
        for (const std::int64_t place : places) {
            if (place < 0 || place >= std::ssize(tensor.shape))
                return {{}, tensor.dtype};
            tensor.shape.erase(tensor.shape.begin() + place);
        }
        return tensor;
    }

    /// Without an order it is reversed (onnx/docs/Operators.md, Transpose).
    static Tensor transposed(Tensor tensor, const std::vector<std::int64_t>& order) {
        const std::vector<std::int64_t> before = tensor.shape;
        if (order.empty())
            std::ranges::reverse(tensor.shape);
        if (!order.empty() && order.size() != before.size())
            return {{}, tensor.dtype};
        for (std::size_t i = 0; i < order.size(); ++i) {
            if (order[i] < 0 || order[i] >= std::ssize(before))
                return {{}, tensor.dtype};
            tensor.shape[i] = before[static_cast<std::size_t>(order[i])];
        }
        return tensor;
    }

    /// The sum along the axis; 0, which is unknown, where a part's size is.
    Tensor concatenated(
        Tensor tensor, const Operator& made, const OperatorGraph& graph, int depth) const {
        const std::int64_t axis =
            place_in(number_attribute(made.message, "axis").value_or(0), tensor.shape.size());
        constexpr std::size_t most_parts = 64;
        if (axis < 0 || axis >= std::ssize(tensor.shape) || made.inputs.size() > most_parts)
            return {{}, tensor.dtype};
        std::int64_t& size = tensor.shape[static_cast<std::size_t>(axis)];
        for (std::size_t i = 1; i < made.inputs.size(); ++i) {
            const Tensor next = known_of(std::string(made.inputs[i]), graph, depth + 1);
            if (next.shape.size() != tensor.shape.size())
                return {{}, tensor.dtype};
            const std::int64_t more = next.shape[static_cast<std::size_t>(axis)];
            const bool known = size > 0 && more > 0 && size < 1 << 30 && more < 1 << 30;
            if (known)
                size += more;
            else
                size = 0;
        }
        return tensor;
    }

    /// From `starts` to before `ends`, both clamped to the size, as ONNX does; without axes
    /// they are for the first dimensions. Nothing is known of a slice in other steps than 1.
    static Tensor sliced(
        Tensor tensor,
        const std::vector<std::int64_t>& starts,
        const std::vector<std::int64_t>& ends,
        std::vector<std::int64_t> axes,
        const std::vector<std::int64_t>& steps,
        bool has_axes) {
        if (starts.empty() || starts.size() != ends.size() || (has_axes && axes.empty()))
            return {{}, tensor.dtype};
        for (std::size_t i = axes.size(); i < starts.size() && !has_axes; ++i)
            axes.push_back(static_cast<std::int64_t>(i));
        const bool by_one = std::ranges::all_of(steps, [](std::int64_t step) { return step == 1; });
        if (axes.size() != starts.size() || !by_one)
            return {{}, tensor.dtype};
        for (std::size_t i = 0; i < starts.size(); ++i) {
            const std::int64_t axis = place_in(axes[i], tensor.shape.size());
            if (axis < 0 || axis >= std::ssize(tensor.shape))
                return {{}, tensor.dtype};
            std::int64_t& size = tensor.shape[static_cast<std::size_t>(axis)];
            const auto bound = [&](std::int64_t at) {
                if (at < 0)
                    at += size;
                return std::clamp<std::int64_t>(at, 0, size);
            };
            if (size > 0)
                size = std::max<std::int64_t>(bound(ends[i]) - bound(starts[i]), 0);
        }
        return tensor;
    }

    /// A size of -1 is what is left over, which is not computed
    /// here; 0 is that of the input.
    static Tensor reshaped(Tensor tensor, std::vector<std::int64_t> shape) {
        for (std::size_t i = 0; i < shape.size(); ++i) {
            if (shape[i] == 0 && i < tensor.shape.size())
                shape[i] = tensor.shape[i];
            if (shape[i] < 0)
                shape[i] = 0;
        }
        return {std::move(shape), tensor.dtype};
    }

    /// Those of one direction, which the first dimension counts; B is
    /// [directions][both biases of all gates].
    std::optional<Numbers> part_of(
        const std::string& name, std::size_t direction, std::size_t rank) const {
        const Tensor* const tensor = find(name);
        if (!tensor || tensor->shape.size() != rank)
            return std::nullopt;
        Tensor part{{tensor->shape.begin() + 1, tensor->shape.end()}, tensor->dtype, tensor->bytes};
        std::uint64_t before = direction * bytes_of(part.dtype);
        for (const std::int64_t size : part.shape)
            before *= static_cast<std::uint64_t>(size);
        if (before >= part.bytes.size())
            return std::nullopt;
        part.bytes.remove_prefix(before);
        return numbers_in(part);
    }

    /// B has the biases of the inputs and then those of the states.
    std::optional<DirectionWeights> weights_of(
        const std::vector<std::string>& inputs, std::size_t direction) const {
        const auto input = part_of(inputs[1], direction, 3),
                   state = part_of(inputs[2], direction, 3);
        std::optional<Numbers> biases = Numbers();
        if (!inputs[3].empty())
            biases = part_of(inputs[3], direction, 2);
        if (!input || !state || !biases)
            return std::nullopt;
        const auto middle = biases->begin() + static_cast<std::ptrdiff_t>(biases->size() / 2);
        return DirectionWeights{
            *input, *state, {biases->begin(), middle}, {middle, biases->end()}, {}};
    }

    /// of the model's file, for the files of its weights
    std::string directory_;
    ModelFile& file_;
    std::uint64_t opset_ = 0;
    /// Of all graphs: what is known of a value, with its numbers where it is an array.
    Weights tensors_;
    /// Those that are initializers or constants.
    std::set<std::string, std::less<>> constants_;
    /// Short lists of numbers: axes and sizes.
    std::map<std::string, std::vector<std::int64_t>> integers_;
    std::map<std::string, std::string_view> functions_;
    /// How much was read and looked up, for the bounds.
    std::size_t calls_ = 0;
    mutable std::size_t looked_up_ = 0;
    std::map<std::string, std::unique_ptr<MappedFile>> data_;
    /// Files with weights that are not there.
    std::set<std::string> missing_;
};

}  // namespace

void read_onnx(std::string_view bytes, const std::string& directory, ModelFile& into) {
    OnnxModel(bytes, directory, into);
}

}  // namespace rnncheck::model
