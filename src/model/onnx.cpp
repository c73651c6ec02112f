// ONNX (onnx.proto, https://github.com/onnx/onnx/blob/main/onnx/onnx.proto): LSTM, GRU and RNN nodes, also in subgraphs
// and functions.
#include <sys/stat.h>

#include <algorithm>
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

/// Values of ONNX' TensorProto.DataType.
std::string dtype_name(std::uint64_t type) {
    constexpr std::pair<std::uint64_t, const char*> types[] = {{1, "float32"},  {2, "uint8"},    {3, "int8"},
                                                               {10, "float16"}, {11, "float64"}, {16, "bfloat16"}};
    const auto* known = find_by(types, &std::pair<std::uint64_t, const char*>::first, type);
    return known ? known->second : "";
}

class OnnxModel {
  public:
    OnnxModel(std::string_view model, const std::string& directory) : directory_(directory) {
        file.format = "onnx";
        file.framework = "onnx";
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
            file.notes.push_back("weights are in files that are not beside it: " +
                                 join({missing_.begin(), missing_.end()}, ", "));
    }

    ModelFile file;

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
        const std::string known = name.empty() ? text_of(tensor, 8) : name;
        tensors_[known] = {"", known, numbers_of(tensor, 1), dtype_name(field_of(tensor, 2).value)};
        each_field(tensor, 13, [&](const ProtoField& external) {
            if (text_of(external.bytes, 1) == "location") note_external(text_of(external.bytes, 2));
        });
    }

    void note_external(const std::string& location) {
        const bool inside = !location.empty() && location.front() != '/' && !contains(location, "..");
        struct stat status {};
        if (!inside || stat((directory_ + "/" + location).c_str(), &status) != 0) missing_.insert(location);
    }

    /// ValueInfoProto: a name, and of a tensor type and shape.
    void read_value_info(std::string_view value) {
        const std::string name = text_of(value, 1);
        if (tensors_.contains(name)) return;
        const std::string_view tensor = field_of(field_of(value, 2).bytes, 1).bytes;
        Tensor known{"", name, {}, dtype_name(field_of(tensor, 1).value)};
        each_field(field_of(tensor, 2).bytes, 1, [&](const ProtoField& dimension) {
            known.shape.push_back(static_cast<std::int64_t>(field_of(dimension.bytes, 1).value));
        });
        tensors_[name] = std::move(known);
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
        std::vector<std::string> inputs;
        each_field(node, node_field::input, [&](const ProtoField& input) { inputs.emplace_back(input.bytes); });
        inputs.resize(std::max<std::size_t>(inputs.size(), 8));
        ModelLayer layer;
        layer.name = text_of(node, node_field::name);
        each_field(node, node_field::output, [&](const ProtoField& output) {
            if (layer.name.empty()) layer.name = output.bytes;
        });
        layer.kind = op == "GRU" ? LayerKind::gru : op == "RNN" ? LayerKind::rnn_tanh : LayerKind::lstm;
        layer.settings["op"] = op;
        // The operators were defined anew in opsets 7, 14 and 22.
        layer.settings["opset"] = std::to_string(opset_ >= 22 ? 22 : opset_ >= 14 ? 14 : 7);
        each_field(node, node_field::attribute, [&](const ProtoField& attribute) { set(layer, attribute.bytes); });
        layer.directions = layer.settings["direction"] == "bidirectional" ? 2 : 1;
        layer.settings["bias"] = inputs[3].empty() ? "no" : "yes";
        layer.settings["sequence_lens"] = inputs[4].empty() ? "no" : "yes";
        if (op == "GRU") layer.settings.emplace("linear_before_reset", "0");  // ONNX' default
        if (op == "LSTM") layer.settings["peepholes"] = inputs[7].empty() ? "no" : "yes";
        set_sizes(layer, inputs);
        if (op == "RNN" && lower(layer.settings["activations"]).starts_with("relu")) layer.kind = LayerKind::rnn_relu;
        std::erase_if(layer.settings, [](const auto& setting) { return setting.second.empty(); });
        file.layers.push_back(std::move(layer));
    }

    static void set(ModelLayer& layer, std::string_view attribute) {
        const std::string name = text_of(attribute, attribute_field::name);
        const ProtoField whole = field_of(attribute, attribute_field::i);
        std::vector<std::string> strings;
        each_field(attribute, attribute_field::strings,
                   [&](const ProtoField& text) { strings.emplace_back(text.bytes); });
        std::string value = text_of(attribute, attribute_field::s);
        if (!strings.empty()) value = join(strings, ",");
        if (value.empty() && whole.number > 0) value = std::to_string(static_cast<std::int64_t>(whole.value));
        if (const ProtoField real = field_of(attribute, attribute_field::f); value.empty() && real.number > 0)
            value = short_number(std::bit_cast<float>(static_cast<std::uint32_t>(real.value)));
        if (value.empty() && field_of(attribute, attribute_field::floats).number > 0) value = "set";
        layer.settings[name] = value;
        if (name == "hidden_size") layer.hidden = number_from(value);
    }

    /// W is [directions][gates * hidden][input], R [directions][gates * hidden][hidden].
    void set_sizes(ModelLayer& layer, const std::vector<std::string>& inputs) {
        const auto weights = tensors_.find(inputs[1]), state = tensors_.find(inputs[2]),
                   data = tensors_.find(inputs[0]);
        const bool quantized = layer.settings["op"] == "DynamicQuantizeLSTM";
        if (weights != tensors_.end() && weights->second.shape.size() == 3) {
            const std::int64_t width = weights->second.shape[quantized ? 1 : 2];
            if (width > 0) layer.input = static_cast<int>(width);
        }
        if (!layer.hidden && state != tensors_.end() && state->second.shape.size() == 3)
            layer.hidden = static_cast<int>(state->second.shape[quantized ? 1 : 2]);
        for (const auto& tensor : {data, weights})
            if (!layer.dtype && tensor != tensors_.end() && !tensor->second.dtype.empty())
                layer.dtype = tensor->second.dtype;
    }

    std::string directory_;
    std::uint64_t opset_ = 0;
    std::map<std::string, Tensor> tensors_;  ///< by name, of all graphs
    std::set<std::string> missing_;
};

}  // namespace

ModelFile read_onnx(std::string_view bytes, const std::string& directory) {
    return std::move(OnnxModel(bytes, directory).file);
}

}  // namespace rnncheck::model
