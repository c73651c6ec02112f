// ONNX (onnx.proto, https://github.com/onnx/onnx/blob/main/onnx/onnx.proto): LSTM, GRU and RNN nodes, also in subgraphs
// and functions.
#include <filesystem>
#include <set>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "model/protobuf.hpp"
#include "model/readers.hpp"

namespace rnncheck::model {

namespace {

constexpr int deepest_subgraph = 50;

// Numbers of fields.
namespace graph_field {
constexpr std::uint64_t node = 1, initializer = 5, input = 11, value_info = 13;
}
namespace node_field {
constexpr std::uint64_t input = 1, output = 2, name = 3, op_type = 4, attribute = 5;
}
namespace attribute_field {
constexpr std::uint64_t name = 1, f = 2, i = 3, s = 4, tensor = 5, graph = 6, floats = 7, strings = 9, graphs = 11;
}
namespace tensor_field {
constexpr std::uint64_t dims = 1, type = 2, floats = 4, name = 8, raw = 9, doubles = 10, external = 13;
}

class OnnxModel {
  public:
    OnnxModel(std::string_view model, const std::string& directory, ModelFile& file)
        : directory_(directory), file_(file) {
        if (field_of(model, 7).bytes.empty() || field_of(model, 8).bytes.empty())
            throw InputError("it is not an ONNX model: it has no graph or no version of the operators");
        file.format = file.framework = "onnx";
        const std::string producer = text_of(model, 2), version = text_of(model, 3);
        if (!producer.empty()) file.notes.emplace_back(trim("written by " + producer + " " + version));
        each_field(model, 8, [&](const ProtoField& opset) {
            if (text_of(opset.bytes, 1).empty()) opset_ = field_of(opset.bytes, 2).value;
        });
        each_field(model, 7, [&](const ProtoField& graph) { read_graph(graph.bytes, 0); });
        each_field(model, 25, [&](const ProtoField& function) {
            each_field(function.bytes, 7, [&](const ProtoField& node) { read_node(node.bytes, 0); });
        });
        if (!missing_.empty())
            file.notes.push_back("its weights are in files that are missing from its directory: " +
                                 join({missing_.begin(), missing_.end()}, ", "));
    }

  private:
    void read_graph(std::string_view graph, int depth) {
        if (depth > deepest_subgraph) damaged("graphs are nested too deeply");
        each_field(graph, graph_field::initializer, [&](const ProtoField& tensor) { read_tensor(tensor.bytes, ""); });
        for (const std::uint64_t number : {graph_field::input, graph_field::value_info})
            each_field(graph, number, [&](const ProtoField& value) { read_value_info(value.bytes); });
        each_field(graph, graph_field::node, [&](const ProtoField& node) { read_node(node.bytes, depth); });
    }

    /// An initializer, or the value of a Constant node, whose output names it.
    void read_tensor(std::string_view tensor, const std::string& name) {
        Tensor& known = tensors_[name.empty() ? text_of(tensor, tensor_field::name) : name];
        known = {numbers_of(tensor, tensor_field::dims),
                 dtype_by(&DtypeNames::onnx, field_of(tensor, tensor_field::type).value)};
        for (const std::uint64_t data : {tensor_field::raw, tensor_field::floats, tensor_field::doubles})
            if (known.bytes.empty()) known.bytes = field_of(tensor, data).bytes;
        TextMap external;
        each_field(tensor, tensor_field::external,
                   [&](const ProtoField& entry) { external[text_of(entry.bytes, 1)] = text_of(entry.bytes, 2); });
        if (external.contains("location")) read_external(external, known);
    }

    void read_external(TextMap& external, Tensor& into) {
        const std::string& location = external["location"];
        const bool inside = !location.empty() && location.front() != '/' && !contains(location, "..");
        const std::string path = directory_ + "/" + location;
        std::error_code error;
        if (!inside || !std::filesystem::exists(path, error)) {
            missing_.insert(location);
        } else if (file_.weights_wanted > 0) {
            auto& data = data_[location];
            if (!data) data = std::make_unique<MappedFile>(path);
            const auto at = number_from<std::uint64_t>(external["offset"]).value_or(0);
            into.bytes = data->bytes().substr(std::min<std::uint64_t>(at, data->bytes().size()));
        }
    }

    /// ValueInfoProto: a name, and of a tensor type and shape.
    void read_value_info(std::string_view value) {
        const std::string_view tensor = field_of(field_of(value, 2).bytes, 1).bytes;
        tensors_.try_emplace(text_of(value, 1), Tensor{dimensions_of(field_of(tensor, 2).bytes, 1),
                                                       dtype_by(&DtypeNames::onnx, field_of(tensor, 1).value)});
    }

    void read_node(std::string_view node, int depth) {
        const std::string op = text_of(node, node_field::op_type);
        each_field(node, node_field::attribute, [&](const ProtoField& attribute) {
            for (const std::uint64_t number : {attribute_field::graph, attribute_field::graphs})
                each_field(attribute.bytes, number,
                           [&](const ProtoField& graph) { read_graph(graph.bytes, depth + 1); });
            if (op == "Constant")
                each_field(attribute.bytes, attribute_field::tensor, [&](const ProtoField& tensor) {
                    read_tensor(tensor.bytes, text_of(node, node_field::output));
                });
        });
        if (op == "LSTM" || op == "GRU" || op == "RNN" || op == "DynamicQuantizeLSTM") add_layer(node, op);
    }

    void add_layer(std::string_view node, const std::string& op) {
        std::vector<std::string> inputs = texts_of(node, node_field::input);
        inputs.resize(std::max<std::size_t>(inputs.size(), 8));
        ModelLayer layer;
        layer.name = text_of(node, node_field::name);
        for (const std::string& output : texts_of(node, node_field::output))
            if (layer.name.empty()) layer.name = output;
        layer.kind = op == "GRU" ? LayerKind::gru : op == "RNN" ? LayerKind::rnn_tanh : LayerKind::lstm;
        layer.settings["op"] = op;
        // The operators were defined anew in opsets 7, 14 and 22.
        layer.settings["opset"] = std::to_string(opset_ >= 22 ? 22 : opset_ >= 14 ? 14 : 7);
        each_field(node, node_field::attribute, [&](const ProtoField& attribute) { set(layer, attribute.bytes); });
        layer.directions = layer.settings["direction"] == "bidirectional" ? 2 : 1;
        layer.settings["bias"] = inputs[3].empty() ? "no" : "yes";
        layer.settings["sequence_lens"] = inputs[4].empty() ? "no" : "yes";
        if (op == "GRU") layer.settings.emplace("linear_before_reset", "0");  // ONNX' default
        if (layer.kind == LayerKind::lstm) layer.settings["peepholes"] = inputs[7].empty() ? "no" : "yes";
        set_sizes(layer, inputs);
        if (op == "RNN" && lower(layer.settings["activations"]).starts_with("relu")) layer.kind = LayerKind::rnn_relu;
        std::erase_if(layer.settings, [](const auto& setting) { return setting.second.empty(); });
        set_weights(layer, onnx_order, file_, static_cast<std::size_t>(layer.directions),
                    [&](std::size_t direction) { return weights_of(inputs, direction); });
        file_.layers.push_back(std::move(layer));
    }

    static void set(ModelLayer& layer, std::string_view attribute) {
        const std::string name = text_of(attribute, attribute_field::name);
        const ProtoField whole = field_of(attribute, attribute_field::i);
        const std::vector<std::string> strings = texts_of(attribute, attribute_field::strings);
        std::string value = strings.empty() ? text_of(attribute, attribute_field::s) : join(strings, ",");
        if (value.empty() && whole.number > 0) value = std::to_string(static_cast<std::int64_t>(whole.value));
        if (const ProtoField real = field_of(attribute, attribute_field::f); value.empty() && real.number > 0)
            value = short_number(std::bit_cast<float>(static_cast<std::uint32_t>(real.value)));
        if (value.empty() && field_of(attribute, attribute_field::floats).number > 0) value = "set";
        layer.settings[name] = value;
        if (name == "hidden_size") layer.hidden = number_from(value);
    }

    const Tensor* find(const std::string& name) const { return look_up(tensors_, name); }

    /// W is [directions][gates * hidden][input], R [directions][gates * hidden][hidden]; the last two in other order
    /// where they are quantized.
    void set_sizes(ModelLayer& layer, const std::vector<std::string>& inputs) {
        const Tensor *data = find(inputs[0]), *weights = find(inputs[1]), *state = find(inputs[2]);
        const std::size_t columns = layer.settings["op"] == "DynamicQuantizeLSTM" ? 1 : 2;
        if (weights && weights->shape.size() == 3) layer.input = size_from(weights->shape[columns]);
        if (!layer.hidden && state && state->shape.size() == 3) layer.hidden = size_from(state->shape[columns]);
        for (const Tensor* const tensor : {data, weights})
            if (!layer.dtype && tensor && !tensor->dtype.empty()) layer.dtype = tensor->dtype;
    }

    /// Those of one direction, which the first dimension counts; B is [directions][both biases of all gates].
    std::optional<Numbers> part_of(const std::string& name, std::size_t direction, std::size_t rank) const {
        const Tensor* const tensor = find(name);
        if (!tensor || tensor->shape.size() != rank) return std::nullopt;
        Tensor part{{tensor->shape.begin() + 1, tensor->shape.end()}, tensor->dtype, tensor->bytes};
        std::uint64_t before = direction * bytes_of(part.dtype);
        for (const std::int64_t size : part.shape) before *= static_cast<std::uint64_t>(size);
        if (before >= part.bytes.size()) return std::nullopt;
        part.bytes.remove_prefix(before);
        return numbers_in(part);
    }

    std::optional<DirectionWeights> weights_of(const std::vector<std::string>& inputs, std::size_t direction) const {
        const auto input = part_of(inputs[1], direction, 3), state = part_of(inputs[2], direction, 3);
        const auto biases = inputs[3].empty() ? Numbers() : part_of(inputs[3], direction, 2);
        if (!input || !state || !biases) return std::nullopt;
        const auto middle = biases->begin() + static_cast<std::ptrdiff_t>(biases->size() / 2);
        return DirectionWeights{*input, *state, {biases->begin(), middle}, {middle, biases->end()}, {}};
    }

    std::string directory_;
    ModelFile& file_;
    std::uint64_t opset_ = 0;
    Weights tensors_;  ///< of all graphs
    std::map<std::string, std::unique_ptr<MappedFile>> data_;
    std::set<std::string> missing_;
};

}  // namespace

void read_onnx(std::string_view bytes, const std::string& directory, ModelFile& into) {
    OnnxModel(bytes, directory, into);
}

}  // namespace rnncheck::model
