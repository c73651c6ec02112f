// TensorFlow's SavedModel: Keras' metadata where they are, else the operations
// of its graph. Fields: tensorflow/core/protobuf/saved_model.proto,
// meta_graph.proto, saved_object_graph.proto; graph.proto, function.proto,
// node_def.proto; keras/protobuf/saved_metadata.proto.
#include <re2/re2.h>

#include <algorithm>
#include <filesystem>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "model/protobuf.hpp"
#include "model/readers.hpp"

namespace rnncheck::model {

namespace {

/// The value of an attribute of a node: entries of a map, key and AttrValue.
std::string_view attribute_of(std::string_view node, std::string_view name) {
    std::string_view value;
    each_field(node, 5, [&](const ProtoField& entry) {
        if (field_of(entry.bytes, 1).bytes == name)
            value = field_of(entry.bytes, 2).bytes;
    });
    return value;
}

/// A piece of Keras' metadata about a layer or the model.
struct KerasObject {
    /// "root.layer-1"; "" where the metadata are in the graph of objects
    std::string path;
    /// class_name, config, keras_version
    Json description;
};

/// keras_metadata.pb, which Keras 2 writes since TensorFlow 2.5:
/// nodes with their path and JSON.
std::vector<KerasObject> objects_of_file(std::string_view bytes) {
    std::vector<KerasObject> objects;
    each_field(bytes, 1, [&](const ProtoField& object) {
        objects.push_back(
            {text_of(object.bytes, 3),
             Json::parse(field_of(object.bytes, 5).bytes, nullptr, false)});
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

/// The root describes the whole model, unless it is of a class of its own: then
/// each of its layers describes itself.
void add_objects(const std::vector<KerasObject>& objects, const Weights& weights, ModelFile& file) {
    if (objects.empty())
        return;
    file.framework = "keras";
    for (const KerasObject& object : objects)
        if (const std::string version = text_member(object.description, "keras_version");
            !version.empty())
            file.version = version;
    for (const KerasObject& object : objects)
        if (member(member(object.description, "config"), "layers").is_array())
            return add_keras_layers(object.description, weights, file);
    std::vector<std::string> wrappers;
    for (const KerasObject& object : objects) {
        const bool inside = std::ranges::any_of(wrappers, [&](const std::string& wrapper) {
            return !wrapper.empty() && object.path.starts_with(wrapper + ".");
        });
        // A wrapper such as Bidirectional describes its layer itself,
        // which is a node of its own, too.
        const std::size_t before = file.layers.size();
        if (!inside && object.description.is_object())
            add_keras_layers(object.description, weights, file);
        if (file.layers.size() > before)
            wrappers.push_back(object.path);
    }
}

/// An operation that computes a layer, by the name of its node:
/// functional_1/lstm_1/CudnnRNNV3, .../lstm_1/while.
using Operations = std::vector<std::pair<std::string, std::string_view>>;

/// cuDNN's operations and loops, also in the functions of the graph:
/// layers are computed in these.
Operations operations_of(std::string_view graph) {
    Operations operations;
    const auto read = [&](const ProtoField& node) {
        const std::string op = text_of(node.bytes, 2);
        const bool cudnn = op == "CudnnRNN" || op == "CudnnRNNV2" || op == "CudnnRNNV3";
        if (cudnn || op == "While" || op == "StatelessWhile")
            operations.emplace_back(text_of(node.bytes, 1), node.bytes);
    };
    each_field(graph, 1, read);
    each_field(field_of(graph, 2).bytes, 1, [&](const ProtoField& function) {
        each_field(function.bytes, 3, read);
    });
    return operations;
}

/// The call of a layer of which Keras 2 keeps two functions, one of
/// them with cuDNN for the GPU.
struct CallWithCudnn {
    /// model/encoder/lstm_1/PartitionedCall
    std::string node;
    /// it receives a mask
    bool mask = false;
};

/// Both functions have the same api_implements
/// (keras/src/layers/rnn/gru_lstm_utils.py, generate_defun_backend).
std::vector<CallWithCudnn> calls_with_cudnn(std::string_view graph) {
    // What each function implements, by its name; whether those with cuDNN have a mask, by
    // what they implement.
    std::map<std::string, std::string> implements;
    std::map<std::string, bool> masks;
    const std::string_view library = field_of(graph, 2).bytes;
    each_field(library, 1, [&](const ProtoField& function) {
        const std::string layer = text_of(attribute_of(function.bytes, "api_implements"), 2);
        if (layer.empty())
            return;
        const std::string_view signature = field_of(function.bytes, 1).bytes;
        const std::string name = text_of(signature, 1);
        implements[name] = layer;
        const bool forward = contains(name, "gpu_") && !contains(name, "backward");
        if (text_of(attribute_of(function.bytes, "api_preferred_device"), 2) != "GPU" || !forward)
            return;
        bool mask = false;
        each_field(signature, 2, [&](const ProtoField& argument) {
            mask |= text_of(argument.bytes, 1) == "mask";
        });
        masks[layer] |= mask;
    });
    std::vector<CallWithCudnn> calls;
    const auto read = [&](const ProtoField& node) {
        if (!text_of(node.bytes, 2).ends_with("PartitionedCall"))
            return;
        const std::string called = text_of(field_of(attribute_of(node.bytes, "f"), 10).bytes, 1);
        const auto* const layer = look_up(implements, called);
        if (!layer)
            return;
        if (const auto* const mask = look_up(masks, *layer))
            calls.push_back({text_of(node.bytes, 1), *mask});
    };
    if (masks.empty())
        return calls;
    each_field(graph, 1, read);
    each_field(
        library, 1, [&](const ProtoField& function) { each_field(function.bytes, 3, read); });
    return calls;
}

/// Of layers whose settings are not in the file: Keras keeps a function with
/// cuDNN only if all of its conditions hold.
void add_what_functions_decide(const std::vector<CallWithCudnn>& calls, ModelFile& file) {
    constexpr std::pair<const char*, const char*> conditions[] = {
        {"activation", "tanh"},
        {"recurrent_activation", "sigmoid"},
        {"use_bias", "True"},
        {"recurrent_dropout", "0"},
        {"unroll", "False"},
        {"reset_after", "True"}};
    for (ModelLayer& layer : file.layers) {
        if (layer.settings.contains("activation"))
            continue;
        const std::string own_name = layer.name.substr(layer.name.rfind('/') + 1);
        const re2::RE2 of_layer(
            "/" + re2::RE2::QuoteMeta(own_name) + "(?:_[0-9]+)?/", re2::RE2::Latin1);
        bool called = false, mask = false;
        for (const CallWithCudnn& call : calls)
            if (re2::RE2::PartialMatch("/" + call.node, of_layer)) {
                called = true;
                mask |= call.mask;
            }
        if (!called)
            continue;
        layer.settings["class"] = "LSTM";
        if (layer.kind == LayerKind::gru)
            layer.settings["class"] = "GRU";
        for (const auto& [setting, value] : conditions)
            layer.settings[setting] = value;
        layer.settings["mask"] = "none";
        if (mask)
            layer.settings["mask"] = "in its call";
    }
}

/// The variables that the graph of objects lists, without the copies
/// that Keras 3 adds (kernel_1).
Weights variables_of(std::string_view meta_graph) {
    Weights variables;
    each_field(field_of(meta_graph, 7).bytes, 1, [&](const ProtoField& object) {
        const std::string_view variable = field_of(object.bytes, 7).bytes;
        const std::string name = text_of(variable, 6);
        if (name.empty())
            return;
        variables[name] = {
            dimensions_of(field_of(variable, 2).bytes, 2),
            dtype_by(&DtypeNames::tensorflow, field_of(variable, 1).value)};
    });
    return variables;
}

/// Layers by their variables, and of each the operation that computes it; then
/// cuDNN's operations of no such layer.
void add_graph(std::string_view meta_graph, const Weights& weights, ModelFile& file) {
    const Operations operations = operations_of(field_of(meta_graph, 2).bytes);
    add_keras_layers(weights, file);
    for (ModelLayer& layer : file.layers) {
        // Keras 2 keeps two functions for a layer, of which TensorFlow
        // takes the one with cuDNN on a GPU.
        for (const auto& [name, node] : operations)
            if (text_of(attribute_of(node, "rnn_mode"), 2) == name_of(layer.kind) &&
                !contains(name, "/"))
                layer.settings["op"] = text_of(node, 2);
        // Variables have no number of a later trace: the layer lstm has the
        // node functional_1/lstm_1/while.
        const std::string own_name = layer.name.substr(layer.name.rfind('/') + 1);
        const re2::RE2 of_layer(
            "/" + re2::RE2::QuoteMeta(own_name) + "(?:_[0-9]+)?(?:/|$)", re2::RE2::Latin1);
        for (const auto& [name, node] : operations)
            if (re2::RE2::PartialMatch(name, of_layer))
                layer.settings["op"] = text_of(node, 2);
    }
    if (!file.layers.empty())
        return;
    for (const auto& [name, node] : operations) {
        const std::string op = text_of(node, 2), mode = text_of(attribute_of(node, "rnn_mode"), 2);
        ModelLayer layer;
        layer.name = name;
        if (contains(name, "/"))
            layer.name = directory_of(name);
        if (!op.starts_with("CudnnRNN") || find_by(file.layers, &ModelLayer::name, layer.name))
            continue;
        // The operation's default mode is lstm (tensorflow/core/ops/cudnn_rnn_ops.cc).
        layer.kind = LayerKind::lstm;
        if (!mode.empty())
            layer.kind = from_name<LayerKind>(mode).value_or(LayerKind::cell);
        layer.directions =
            directions_of(text_of(attribute_of(node, "direction"), 2) == "bidirectional");
        layer.dtype = dtype_by(&DtypeNames::tensorflow, field_of(attribute_of(node, "T"), 6).value);
        layer.settings["op"] = op;
        file.layers.push_back(std::move(layer));
    }
}

}  // namespace

/// The layers come from Keras' metadata if these have settings, else from the
/// graph: the operations show what was saved for the GPU.
void read_saved_model(const std::string& directory, ModelFile& into) {
    std::error_code error;
    const std::string graph = directory + "/saved_model.pb",
                      metadata = directory + "/keras_metadata.pb";
    if (!std::filesystem::exists(graph, error))
        throw InputError(
            "the directory has no saved_model.pb, so it is not a SavedModel; give the file of the "
            "model in it");
    const MappedFile saved_model(graph);
    const std::string_view meta_graph = field_of(saved_model.bytes(), 2).bytes;
    if (meta_graph.empty())
        damaged("saved_model.pb contains no graph");
    into.format = "saved_model";
    into.framework = "tensorflow";
    if (const std::string version = text_of(field_of(meta_graph, 1).bytes, 5); !version.empty())
        into.version = version;
    const Weights weights = variables_of(meta_graph);
    if (std::filesystem::exists(metadata, error))
        add_objects(objects_of_file(MappedFile(metadata).bytes()), weights, into);
    else
        add_objects(objects_of_graph(meta_graph), weights, into);
    // Weights alone show no settings: what the graph computes decides then.
    const bool described = std::ranges::any_of(
        into.layers, [](const ModelLayer& layer) { return layer.settings.contains("class"); });
    if (!described && !into.layers.empty()) {
        into.layers.clear();
        into.framework = "tensorflow";
    }
    if (into.layers.empty())
        add_graph(meta_graph, weights, into);
    add_what_functions_decide(calls_with_cudnn(field_of(meta_graph, 2).bytes), into);
    if (into.layers.empty())
        add_graph_cells(field_of(meta_graph, 2).bytes, into);
}

}  // namespace rnncheck::model
