// Keras 1 to 3: the model as its JSON describes it, in .keras, .h5, .json and a SavedModel's metadata.
#include <algorithm>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "model/hdf5.hpp"
#include "model/readers.hpp"
#include "model/zip.hpp"

namespace rnncheck::model {

namespace {

constexpr int deepest_model = 50;

/// What flows from layer to layer.
struct Signal {
    std::optional<int> width;  ///< of its last axis
    std::string mask;          ///< the layer that the mask comes from; "" without one
};

/// "tanh"; of a function or a class its name. Booleans as Python writes them.
std::string word_of(const Json& value) {
    if (value.is_string()) return value.get<std::string>();
    if (value.is_boolean()) return value.get<bool>() ? "True" : "False";
    if (value.is_number_integer()) return std::to_string(value.get<std::int64_t>());
    if (value.is_number()) return short_number(value.get<double>());
    if (!value.is_object()) return "";
    for (const char* name : {"registered_name", "class_name"})  // a function that was given a name is in "config"
        if (const std::string word = text_member(value, name); !word.empty() && word != "function") return word;
    return text_member(value, "config");
}

std::optional<int> size_of(const Json& value) {
    if (!value.is_number_integer()) return std::nullopt;
    const auto size = value.get<std::int64_t>();
    return size > 0 && size < 1 << 30 ? std::optional(static_cast<int>(size)) : std::nullopt;
}

/// The last number of a shape; of the first shape, where there are several.
std::optional<int> width_of(const Json& shape) {
    if (shape.is_object()) return width_of(member(shape, "input_shape"));
    if (!shape.is_array() || shape.empty()) return std::nullopt;
    if (shape.front().is_array()) return width_of(shape.front());
    return size_of(shape.back());
}

/// "mixed_float16"; Keras 2 and 3 name a policy by a text or by an object.
std::string policy_of(const Json& config) {
    const Json& dtype = member(config, "dtype");
    return dtype.is_object() ? text_member(member(dtype, "config"), "name") : word_of(dtype);
}

struct KnownClass {
    std::string_view name;
    LayerKind kind;
};
constexpr KnownClass known_classes[] = {{"LSTM", LayerKind::lstm},
                                        {"GRU", LayerKind::gru},
                                        {"CuDNNLSTM", LayerKind::lstm},
                                        {"CuDNNGRU", LayerKind::gru},
                                        {"SimpleRNN", LayerKind::rnn},
                                        {"LSTMCell", LayerKind::lstm_cell},
                                        {"GRUCell", LayerKind::gru_cell},
                                        {"SimpleRNNCell", LayerKind::rnn_cell},
                                        {"ConvLSTM1D", LayerKind::conv_lstm},
                                        {"ConvLSTM2D", LayerKind::conv_lstm},
                                        {"ConvLSTM3D", LayerKind::conv_lstm},
                                        {"ConvLSTM2DCell", LayerKind::conv_lstm},
                                        {"StackedRNNCells", LayerKind::stacked_cells}};

/// A class of the user's own, which Keras stores as "package>Name" or with a module other than Keras'.
bool is_custom(const Json& node) {
    const std::string module = text_member(node, "module"), registered = text_member(node, "registered_name");
    return contains(text_member(node, "class_name"), ">") || contains(registered, ">") ||
           (!module.empty() && !module.starts_with("keras") && !module.starts_with("tensorflow") &&
            module != "builtins");
}

std::optional<LayerKind> kind_of(const Json& node) {
    const std::string name = text_member(node, "class_name");
    const auto found = std::ranges::find(known_classes, name, &KnownClass::name);
    if (found != std::end(known_classes) && !is_custom(node)) return found->kind;
    const Json& config = member(node, "config");
    const bool recurrent = contains(name, "LSTM") || contains(name, "GRU") || contains(name, "RNN");
    if (recurrent && config.contains("units")) return LayerKind::cell;
    return std::nullopt;
}

constexpr const char* kept_settings[] = {"activation",
                                         "recurrent_activation",
                                         "use_bias",
                                         "reset_after",
                                         "dropout",
                                         "recurrent_dropout",
                                         "unroll",
                                         "return_sequences",
                                         "go_backwards",
                                         "stateful",
                                         "time_major",
                                         "merge_mode",
                                         "zero_output_for_mask"};

/// What the layers CuDNNLSTM and CuDNNGRU compute, without a setting for it.
constexpr std::pair<const char*, const char*> fixed_by_cudnn[] = {{"activation", "tanh"},
                                                                  {"recurrent_activation", "sigmoid"},
                                                                  {"use_bias", "True"},
                                                                  {"recurrent_dropout", "0"},
                                                                  {"reset_after", "True"}};

/// Keras passes a mask through these; others drop it.
bool passes_mask(const std::string& name) {
    constexpr std::string_view passing[] = {"Dense",         "Activation",  "Dropout",  "SpatialDropout1D",
                                            "GaussianNoise", "Concatenate", "Add",      "TimeDistributed",
                                            "ReLU",          "LeakyReLU",   "Multiply", "AlphaDropout"};
    return std::ranges::find(passing, name) != std::end(passing) || contains(name, "Normalization");
}

bool keeps_width(const std::string& name) {
    return name != "Dense" && name != "Concatenate" && passes_mask(name);
}

/// The layers that a node's inputs come from: ["embedding", 0, 0, {}] or, since Keras 3, "keras_history".
void add_sources(const Json& inbound, std::vector<std::string>& names, int depth = 0) {
    const bool named = inbound.is_array() && inbound.size() >= 3 && inbound[0].is_string() &&
                       inbound[1].is_number_integer() && inbound[2].is_number_integer();
    if (named) return names.push_back(inbound[0].get<std::string>());
    if (depth > deepest_model || !inbound.is_structured()) return;
    for (const Json& part : inbound) add_sources(part, names, depth + 1);
}

class KerasModel {
  public:
    KerasModel(const Weights& weights, ModelFile& into) : weights_(weights), into_(into) {}

    /// A layer or a model; what leaves it.
    Signal read(const Json& node, const Signal& in, const std::string& inside, int depth,
                const std::string& wrapper = "") {
        if (depth > deepest_model) damaged("models are nested too deeply");
        const std::string class_name = text_member(node, "class_name");
        const Json& config = member(node, "config");
        const Json& layers = config.is_array() ? config : member(config, "layers");
        if (layers.is_array()) return model(layers, in, inside, depth);
        // A wrapper gives its name to the layer in it.
        const std::string name = wrapper.empty() ? inside + text_member(config, "name") : wrapper;
        if (class_name == "Bidirectional") return bidirectional(node, in, name);
        if (class_name == "RNN") return rnn(node, in, name);
        if (const auto kind = kind_of(node)) return add(*kind, node, in, name);
        // Any other layer with a layer inside: TimeDistributed, wrappers.
        Signal out = passed(node, class_name, in);
        for (const char* part : {"layer", "cell", "model"})
            if (const Json& inner = member(config, part); inner.is_object()) {
                const Signal of_inner = read(inner, in, inside, depth + 1, name);
                out.width = of_inner.width;
            }
        return out;
    }

  private:
    Signal model(const Json& layers, const Signal& in, const std::string& inside, int depth) {
        std::map<std::string, Signal> by_name;
        Signal last = in;
        for (const Json& layer : layers) {
            const Json& config = member(layer, "config");
            std::string name = text_member(layer, "name");
            if (name.empty()) name = text_member(config, "name");
            const bool is_model = member(config, "layers").is_array() || config.is_array();
            const Signal from = input_of(layer, by_name, last, in);
            const std::size_t before = into_.layers.size();
            last = read(layer, from, is_model ? inside + name + "/" : inside, depth + 1);
            by_name[name] = last;
            const Json& inbound = member(layer, "inbound_nodes");
            if (inbound.is_array() && inbound.size() > 1)  // shared by several places of the model
                for (std::size_t i = before; i < into_.layers.size(); ++i)
                    into_.layers[i].settings["used"] = std::to_string(inbound.size()) + " times";
        }
        return last;
    }

    /// In a Sequential model, that of the layer before.
    static Signal input_of(const Json& layer, const std::map<std::string, Signal>& by_name, const Signal& last,
                           const Signal& of_model) {
        const Json& inbound = member(layer, "inbound_nodes");
        if (text_member(layer, "class_name") == "InputLayer") return of_model;
        if (!inbound.is_array()) return last;
        std::vector<std::string> names;
        add_sources(inbound, names);
        Signal signal;
        for (const std::string& name : names) {
            const auto found = by_name.find(name);
            if (found == by_name.end()) continue;
            if (!signal.width) signal.width = found->second.width;
            if (signal.mask.empty()) signal.mask = found->second.mask;
        }
        for (const Json& call : inbound) {  // since Keras 3 a mask is an input of its own
            const Json& mask = member(member(call, "kwargs"), "mask");
            if (mask.is_object() && signal.mask.empty()) signal.mask = names.empty() ? "an input" : names.back();
        }
        return signal;
    }

    static Signal passed(const Json& node, const std::string& class_name, const Signal& in) {
        const Json& config = member(node, "config");
        Signal out;
        if (passes_mask(class_name)) out.mask = in.mask;
        if (keeps_width(class_name)) out.width = in.width;
        if (class_name == "InputLayer") out = in;
        for (const char* size : {"units", "output_dim", "filters"})
            if (const auto width = size_of(member(config, size))) out.width = width;
        for (const char* shape : {"batch_shape", "batch_input_shape"})
            if (const auto width = width_of(member(config, shape)); width && class_name == "InputLayer")
                out.width = width;
        const bool masks = class_name == "Masking" || member(config, "mask_zero") == Json(true);
        if (masks) out.mask = text_member(config, "name");
        if (class_name == "Masking") out.width = in.width ? in.width : width_of(member(config, "batch_input_shape"));
        return out;
    }

    Signal bidirectional(const Json& node, const Signal& in, const std::string& name) {
        const Json& config = member(node, "config");
        const Json& inner = member(config, "layer");
        const std::size_t before = into_.layers.size();
        Json once = inner;
        if (member(node, "build_config").is_object()) once["build_config"] = member(node, "build_config");
        if (config.contains("batch_input_shape")) once["config"]["batch_input_shape"] = config["batch_input_shape"];
        Signal out = text_member(inner, "class_name") == "RNN"
                         ? rnn(once, in, name)
                         : add(kind_of(inner).value_or(LayerKind::cell), once, in, name);
        ModelLayer& layer = into_.layers[before];
        layer.directions = 2;
        const Json& backward = member(member(config, "backward_layer"), "config");
        for (const char* setting : kept_settings)
            if (const std::string word = word_of(member(backward, setting));
                !word.empty() && setting != std::string_view("go_backwards") && word != layer.settings[setting])
                layer.settings[setting] += " forward, " + word + " backward";
        const std::string merge = word_of(member(config, "merge_mode"));
        layer.settings["merge_mode"] = merge.empty() ? "None" : merge;
        if (merge == "concat" && out.width) out.width = *out.width * 2;
        return out;
    }

    /// The general layer around a cell or a list of cells.
    Signal rnn(const Json& node, const Signal& in, const std::string& name) {
        const Json& cell = member(member(node, "config"), "cell");
        const auto kind = cell.is_array() ? LayerKind::stacked_cells : kind_of(cell).value_or(LayerKind::cell);
        const Json& own = member(cell, "config");
        const Json& cells = cell.is_array() ? cell : member(own, "cells");
        Json merged = node;
        const Json& of_cell = cells.is_array() && !cells.empty() ? member(cells.back(), "config") : own;
        for (const auto& [key, value] : of_cell.items())
            if (key != "name") merged["config"].emplace(key, value);
        Signal out = add(kind, merged, in, name);
        if (cells.is_array()) into_.layers.back().layers = std::max(static_cast<int>(cells.size()), 1);
        into_.layers.back().settings["cell"] = cell.is_array() ? "a list" : text_member(cell, "class_name");
        return out;
    }

    Signal add(LayerKind kind, const Json& node, const Signal& in, const std::string& name) {
        const Json& config = member(node, "config");
        ModelLayer layer;
        layer.name = name;
        layer.kind = kind;
        if (const std::string policy = policy_of(config); !policy.empty()) {
            layer.dtype = policy.starts_with("mixed_") ? policy.substr(6) : policy;
            if (*layer.dtype != policy) layer.settings["dtype_policy"] = policy;
        }
        layer.hidden = size_of(member(config, config.contains("units") ? "units" : "filters"));
        layer.settings["class"] = text_member(node, "class_name");
        for (const char* setting : kept_settings)
            if (const std::string word = word_of(member(config, setting)); !word.empty())
                layer.settings[setting] = word;
        if (layer.settings["class"].starts_with("CuDNN"))
            for (const auto& [setting, value] : fixed_by_cudnn) layer.settings.emplace(setting, value);
        if (kind == LayerKind::rnn) layer.kind = plain_kind(layer.settings["activation"]);
        layer.settings["mask"] = in.mask.empty() ? "none" : "from " + in.mask;
        layer.input = input_size(node, in, name);
        into_.layers.push_back(layer);
        return {layer.hidden, member(config, "return_sequences") == Json(true) ? in.mask : ""};
    }

    static LayerKind plain_kind(const std::string& activation) {
        return activation == "tanh" ? LayerKind::rnn_tanh : activation == "relu" ? LayerKind::rnn_relu : LayerKind::rnn;
    }

    std::optional<int> input_size(const Json& node, const Signal& in, const std::string& name) const {
        const Json& build = member(node, "build_config");
        for (const Json* shape : {&member(build, "input_shape"), &member(build, "sequences_shape"),
                                  &member(member(build, "shapes_dict"), "sequences_shape"),
                                  &member(member(node, "config"), "batch_input_shape")})
            if (const auto width = width_of(*shape)) return width;
        const std::string part = "/" + name.substr(name.rfind('/') + 1) + "/";
        for (const auto& [path, weight] : weights_) {
            const auto& shape = weight.shape;
            const bool kernel = path.ends_with("kernel:0") || path.ends_with("/kernel");
            if (kernel && !contains(path, "recurrent_kernel") && contains("/" + path, part) && shape.size() >= 2 &&
                shape[shape.size() - 2] > 0)
                return static_cast<int>(shape[shape.size() - 2]);
        }
        return in.width;
    }

    const Weights& weights_;
    ModelFile& into_;
};

std::optional<std::string> version_in(const std::string& version) {
    return version.empty() ? std::nullopt : std::optional(version);
}

/// "layers/lstm/cell" is the layer lstm, "two/forward_gru/gru_cell" the layer two in both directions.
std::string layer_around(std::string place, int& directions) {
    const auto last = [&] { return place.substr(place.rfind('/') + 1); };
    const auto leave = [&] { place.resize(std::min(place.rfind('/'), place.size())); };
    if (contains(place, "/") && last().ends_with("cell")) leave();
    if (contains(place, "/") && (last().starts_with("forward_") || last().starts_with("backward_"))) {
        directions = 2;
        leave();
    }
    for (const std::string_view prefix : {"model_weights/", "_layer_checkpoint_dependencies\\", "layers/", "layers\\"})
        if (place.starts_with(prefix)) place.erase(0, prefix.size());
    const auto at = place.rfind("/layers/");  // of a model inside
    return at == std::string::npos ? place
                                   : place.substr(0, at) + place.substr(at + std::string_view("/layers").size());
}

/// The weights in a file; its notes take what cannot be read.
Weights weights_in(const Hdf5File& hdf5, ModelFile& file) {
    Weights weights;
    bool complete = true;
    hdf5.each([&](const std::string& path, const Hdf5Object& object) {
        if (object.shape) weights[path] = {"", path, *object.shape, object.dtype};
        complete &= object.complete;
    });
    if (!complete) file.notes.push_back("the HDF5 file has groups in a form that is not read; layers may be missing");
    return weights;
}

}  // namespace

const Json& member(const Json& object, const char* name) {
    static const Json nothing;
    if (!object.is_object()) return nothing;
    const auto found = object.find(name);
    return found == object.end() ? nothing : *found;
}

std::string text_member(const Json& object, const char* name) {
    const Json& value = member(object, name);
    return value.is_string() ? value.get<std::string>() : "";
}

Json parsed_json(std::string_view text, const std::string& what) {
    Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded()) damaged(what + " is not JSON");
    return json;
}

void add_keras_layers(const Json& model, const Weights& weights, ModelFile& into) {
    KerasModel(weights, into).read(model, {}, "", 0);
    const std::string compiled = word_of(member(member(model, "compile_config"), "jit_compile"));
    for (ModelLayer& layer : into.layers)
        if (!compiled.empty()) layer.settings["jit_compile"] = compiled;
    const Json& config = member(model, "config");
    if (!config.is_array() && !member(config, "layers").is_array() && into.layers.empty())
        add_keras_layers(weights, into);
}

void add_keras_layers(const Weights& weights, ModelFile& into) {
    constexpr std::pair<const char*, const char*> pairs[] = {
        {"/vars/0", "/vars/1"}, {"/kernel:0", "/recurrent_kernel:0"}, {"/kernel", "/recurrent_kernel"}};
    for (const auto& [path, kernel_of] : weights)
        for (const auto& [kernel, recurrent] : pairs) {
            if (!path.ends_with(kernel) || kernel_of.shape.size() != 2) continue;
            const std::string place = path.substr(0, path.size() - std::string_view(kernel).size());
            const auto state = weights.find(place + recurrent);
            const std::int64_t columns = kernel_of.shape[1];
            if (state == weights.end() || state->second.shape.size() != 2 || state->second.shape[1] != columns)
                continue;
            const std::int64_t hidden = state->second.shape[0], gates = hidden > 0 ? columns / hidden : 0;
            if (gates * hidden != columns || (gates != 1 && gates != 3 && gates != 4)) continue;
            ModelLayer layer;
            layer.name = layer_around(place, layer.directions);
            if (find_by(into.layers, &ModelLayer::name, layer.name)) continue;  // its other direction
            layer.kind = gates == 4 ? LayerKind::lstm : gates == 3 ? LayerKind::gru : LayerKind::rnn;
            layer.input = static_cast<int>(kernel_of.shape[0]);
            layer.hidden = static_cast<int>(hidden);
            if (!kernel_of.dtype.empty()) layer.dtype = kernel_of.dtype;
            into.layers.push_back(std::move(layer));
        }
}

ModelFile read_keras_zip(const ZipArchive& archive) {
    ModelFile file{"keras", "keras", {}, {}, {}};
    std::string config_storage, metadata_storage, weights_storage;
    const Json config = parsed_json(archive.content(*archive.find("config.json"), config_storage), "config.json");
    if (text_member(config, "class_name").empty()) throw InputError("config.json describes no Keras model");
    if (const auto* metadata = archive.find("metadata.json"))
        file.version = version_in(
            text_member(parsed_json(archive.content(*metadata, metadata_storage), "metadata.json"), "keras_version"));
    Weights weights;
    if (const auto* entry = archive.find("model.weights.h5"); entry && entry->size > 0)
        weights = weights_in(Hdf5File(archive.content(*entry, weights_storage)), file);
    add_keras_layers(config, weights, file);
    return file;
}

ModelFile read_keras_json(const Json& json) {
    ModelFile file{"keras_json", "keras", version_in(text_member(json, "keras_version")), {}, {}};
    add_keras_layers(json, {}, file);
    return file;
}

ModelFile read_keras_hdf5(std::string_view bytes) {
    ModelFile file{"hdf5", "keras", {}, {}, {}};
    const Hdf5File hdf5(bytes);
    const Hdf5Object root = hdf5.object(hdf5.root());
    const Weights weights = weights_in(hdf5, file);
    std::string version = root.text("keras_version");
    if (version.empty() && root.links.contains("model_weights"))
        version = hdf5.object(root.links.at("model_weights")).text("keras_version");
    file.version = version_in(version);
    const std::string config = root.text("model_config");
    if (config.empty()) {
        file.format = "keras_weights";
        add_keras_layers(weights, file);
        file.notes.push_back("the file holds weights alone: activations, masks and dropout are unknown");
    } else {
        add_keras_layers(parsed_json(config, "model_config"), weights, file);
    }
    return file;
}

}  // namespace rnncheck::model
