// TensorFlow's SavedModel: Keras' metadata where they are, else the operations of its graph.
// Fields: tensorflow/core/protobuf/saved_model.proto, meta_graph.proto, saved_object_graph.proto; graph.proto,
// function.proto, node_def.proto; keras/protobuf/saved_metadata.proto.
#include <sys/stat.h>

#include <algorithm>
#include <memory>
#include <set>

#include "base/text.hpp"
#include "model/protobuf.hpp"
#include "model/readers.hpp"

namespace rnncheck::model {

namespace {

/// The value of an attribute of a node: entries of a map, key and AttrValue.
std::string_view attribute_of(std::string_view node, std::string_view name) {
    std::string_view value;
    each_field(node, 5, [&](const ProtoField& entry) {
        if (field_of(entry.bytes, 1).bytes == name) value = field_of(entry.bytes, 2).bytes;
    });
    return value;
}

/// TensorFlow's DataType.
std::string tensorflow_dtype(std::uint64_t type) {
    constexpr std::pair<std::uint64_t, const char*> types[] = {
        {1, "float32"}, {2, "float64"}, {14, "bfloat16"}, {19, "float16"}};
    const auto found = std::ranges::find(types, type, &std::pair<std::uint64_t, const char*>::first);
    return found == std::end(types) ? "" : found->second;
}

/// A piece of Keras' metadata about a layer or the model.
struct KerasObject {
    std::string path;  ///< "root.layer-1"
    Json description;
};

std::vector<KerasObject> objects_of_file(std::string_view bytes) {
    std::vector<KerasObject> objects;
    each_field(bytes, 1, [&](const ProtoField& object) {
        objects.push_back({text_of(object.bytes, 3), Json::parse(field_of(object.bytes, 5).bytes, nullptr, false)});
    });
    return objects;
}

/// TensorFlow 2.0 to 2.4 keep them in the graph of objects.
std::vector<KerasObject> objects_of_graph(std::string_view meta_graph) {
    std::vector<KerasObject> objects;
    each_field(field_of(meta_graph, 7).bytes, 1, [&](const ProtoField& object) {
        const std::string_view user_object = field_of(object.bytes, 4).bytes;
        if (text_of(user_object, 1).starts_with("_tf_keras"))
            objects.push_back({"", Json::parse(field_of(user_object, 3).bytes, nullptr, false)});
    });
    return objects;
}

/// The root describes the whole model, unless it is of a class of its own: then each of its layers describes itself.
void add_objects(const std::vector<KerasObject>& objects, ModelFile& file) {
    for (const KerasObject& object : objects)
        if (member(member(object.description, "config"), "layers").is_array())
            return add_keras_layers(object.description, {}, file);
    std::vector<std::string> wrappers;
    for (const KerasObject& object : objects) {
        const bool inside = std::ranges::any_of(wrappers, [&](const std::string& wrapper) {
            return !wrapper.empty() && object.path.starts_with(wrapper + ".");
        });
        const std::size_t before = file.layers.size();
        if (!inside && object.description.is_object()) add_keras_layers(object.description, {}, file);
        if (file.layers.size() > before) wrappers.push_back(object.path);
    }
}

/// The recurrent operations of a graph without Keras' metadata.
class OperationGraph {
  public:
    OperationGraph(std::string_view graph, ModelFile& file) : file_(file) {
        const std::string_view library = field_of(graph, 2).bytes;
        each_field(library, 1, [&](const ProtoField& function) {
            functions_[text_of(field_of(function.bytes, 1).bytes, 1)] = function.bytes;
        });
        each_field(graph, 1, [&](const ProtoField& node) { read(node.bytes); });
        for (const auto& [name, function] : functions_)
            each_field(function, 3, [&](const ProtoField& node) { read(node.bytes); });
    }

  private:
    void read(std::string_view node) {
        const std::string op = text_of(node, 2);
        if (op.starts_with("CudnnRNN") && !contains(op, "Backprop") && !contains(op, "Params") &&
            !contains(op, "Canonical"))
            add_cudnn(node, op);
        if (op == "While" || op == "StatelessWhile") add_loop(node);
    }

    /// "model/lstm/CudnnRNNV3" is an operation of the layer model/lstm; each function that was traced repeats it.
    bool is_new(const std::string& name) { return seen_.insert(name).second; }

    void add_cudnn(std::string_view node, const std::string& op) {
        ModelLayer layer;
        const std::string name = text_of(node, 1);
        layer.name = contains(name, "/") ? directory_of(name) : name;
        const std::string mode = text_of(attribute_of(node, "rnn_mode"), 2);
        const auto kind = from_name<LayerKind>(mode.empty() ? "lstm" : mode);
        layer.kind = kind.value_or(LayerKind::cell);
        layer.directions = text_of(attribute_of(node, "direction"), 2) == "bidirectional" ? 2 : 1;
        layer.dtype = tensorflow_dtype(field_of(attribute_of(node, "T"), 6).value);
        layer.settings["op"] = op;
        if (is_new(layer.name)) file_.layers.push_back(std::move(layer));
    }

    /// A step of an LSTM has three sigmoids and two tanhs, one of a GRU two and one, a plain one a tanh or a relu.
    void add_loop(std::string_view node) {
        const std::string name = text_of(node, 1);
        const auto body = functions_.find(text_of(field_of(attribute_of(node, "body"), 10).bytes, 1));
        if (body == functions_.end()) return;
        std::map<std::string, int> operations;
        each_field(body->second, 3, [&](const ProtoField& step) { ++operations[text_of(step.bytes, 2)]; });
        const int sigmoids = operations["Sigmoid"], tanhs = operations["Tanh"], relus = operations["Relu"];
        ModelLayer layer;
        layer.name = contains(name, "/") ? directory_of(name) : name;
        layer.settings["op"] = "While";
        if (sigmoids == 3 && tanhs == 2)
            layer.kind = LayerKind::lstm;
        else if (sigmoids == 2 && tanhs == 1)
            layer.kind = LayerKind::gru;
        else if (sigmoids == 0 && tanhs + relus == 1)
            layer.kind = tanhs == 1 ? LayerKind::rnn_tanh : LayerKind::rnn_relu;
        else if (operations["MatMul"] + operations["Einsum"] == 0 || sigmoids + tanhs == 0)
            return;  // another loop
        if (is_new(layer.name)) file_.layers.push_back(std::move(layer));
    }

    ModelFile& file_;
    std::map<std::string, std::string_view> functions_;
    std::set<std::string> seen_;
};

bool is_file(const std::string& path) {
    struct stat status {};
    return stat(path.c_str(), &status) == 0;
}

}  // namespace

ModelFile read_saved_model(const std::string& directory) {
    if (!is_file(directory + "/saved_model.pb"))
        throw InputError("the directory has no saved_model.pb, so it is no SavedModel");
    const MappedFile saved_model(directory + "/saved_model.pb");
    const std::string_view meta_graph = field_of(saved_model.bytes(), 2).bytes;
    ModelFile file{"saved_model", "tensorflow", {}, {}, {}};
    const std::string version = text_of(field_of(meta_graph, 1).bytes, 5);
    if (!version.empty()) file.version = version;
    if (is_file(directory + "/keras_metadata.pb"))
        add_objects(objects_of_file(MappedFile(directory + "/keras_metadata.pb").bytes()), file);
    else
        add_objects(objects_of_graph(meta_graph), file);
    if (file.layers.empty()) OperationGraph(field_of(meta_graph, 2).bytes, file);
    return file;
}

}  // namespace rnncheck::model
