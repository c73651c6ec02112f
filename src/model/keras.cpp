// Keras 1 to 3: the model as its JSON describes it, in .keras, .h5,
// .json and a SavedModel's metadata.
#include <re2/re2.h>

#include <algorithm>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "model/keras_weights.hpp"
#include "model/readers.hpp"

namespace rnncheck::model {

namespace {

using re2::RE2;

constexpr int deepest_model = 50;

/// What flows from layer to layer.
struct Signal {
    /// of its last axis
    std::optional<int> width;
    /// the layer that the mask comes from; "" without one
    std::string mask;
};

/// "tanh"; of a function or a class its name. Booleans as Python writes them.
std::string word_of(const Json& value) {
    if (value.is_string())
        return value.get<std::string>();
    if (value.is_boolean())
        return python_bool(value.get<bool>());
    if (value.is_number_integer())
        return std::to_string(value.get<std::int64_t>());
    if (value.is_number())
        return short_number(value.get<double>());
    if (!value.is_object())
        return "";
    // a function that was given a name is in "config"
    for (const char* name : {"registered_name", "class_name"})
        if (const std::string word = text_member(value, name); !word.empty() && word != "function")
            return word;
    return text_member(value, "config");
}

/// Sizes may be null, as of a dimension that is known only when the model runs.
std::optional<int> size_of(const Json& value) {
    if (!value.is_number_integer())
        return std::nullopt;
    return size_from(value.get<std::int64_t>());
}

/// The last number of a shape; of the first shape, where there are several.
std::optional<int> width_of(const Json& shape) {
    if (shape.is_object())
        return width_of(member(shape, "input_shape"));
    if (!shape.is_array() || shape.empty())
        return std::nullopt;
    if (shape.front().is_array())
        return width_of(shape.front());
    return size_of(shape.back());
}

/// "mixed_float16"; Keras 2 and 3 name a policy by a text or by an object.
std::string policy_of(const Json& config) {
    const Json& dtype = member(config, "dtype");
    if (dtype.is_object())
        return text_member(member(dtype, "config"), "name");
    return word_of(dtype);
}

using KnownClass = std::pair<std::string_view, LayerKind>;
constexpr KnownClass known_classes[] = {
    {"LSTM", LayerKind::lstm},
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

/// A class of the user's own, which Keras stores as "package>Name" or
/// with a module other than Keras'.
bool is_custom(const Json& node) {
    const std::string module = text_member(node, "module"),
                      registered = text_member(node, "registered_name");
    return contains(text_member(node, "class_name"), ">") || contains(registered, ">") ||
           (!module.empty() && !module.starts_with("keras") && !module.starts_with("tensorflow") &&
            module != "builtins");
}

/// A class of the user's own that is named after a recurrent layer and has
/// units is a cell that Keras does not know.
std::optional<LayerKind> kind_of(const Json& node) {
    const std::string name = text_member(node, "class_name");
    const auto* const known = find_by(known_classes, &KnownClass::first, name);
    if (known && !is_custom(node))
        return known->second;
    const Json& config = member(node, "config");
    const bool recurrent = contains(name, "LSTM") || contains(name, "GRU") || contains(name, "RNN");
    if (recurrent && (config.contains("units") || config.contains("output_dim")))
        return LayerKind::cell;
    return std::nullopt;
}

/// The settings that decide whether Keras uses cuDNN, and those that a
/// person recognises the layer by.
constexpr std::string_view kept_settings =
    "activation recurrent_activation use_bias reset_after dropout recurrent_dropout unroll "
    "return_sequences go_backwards stateful time_major merge_mode zero_output_for_mask";

/// Settings of recurrent layers and their names in Keras 1.
constexpr std::pair<const char*, const char*> names_of_keras_1[] = {
    {"recurrent_activation", "inner_activation"},
    {"dropout", "dropout_W"},
    {"recurrent_dropout", "dropout_U"}};

/// Keras passes a mask through these; others drop it.
bool passes_mask(const std::string& name) {
    constexpr std::string_view passing[] = {
        "Dense",
        "Activation",
        "Dropout",
        "SpatialDropout1D",
        "GaussianNoise",
        "Concatenate",
        "Add",
        "TimeDistributed",
        "ReLU",
        "LeakyReLU",
        "Multiply",
        "AlphaDropout"};
    return includes(passing, name) || contains(name, "Normalization");
}

/// The layers that a node's inputs come from: ["embedding", 0, 0, {}] or,
/// since Keras 3, "keras_history".
void add_sources(const Json& inbound, std::vector<std::string>& names, int depth = 0) {
    const bool named = inbound.is_array() && inbound.size() >= 3 && inbound[0].is_string() &&
                       inbound[1].is_number_integer() && inbound[2].is_number_integer();
    if (named)
        return names.push_back(inbound[0].get<std::string>());
    if (depth > deepest_model || !inbound.is_structured())
        return;
    for (const Json& part : inbound)
        add_sources(part, names, depth + 1);
}

/// "time_distributed": .keras names a layer's weights by its class, not by its
/// name (keras/src/utils/naming.py).
std::string snake_case(std::string name) {
    static const RE2 before_word("(.)([A-Z][a-z]+)"), before_letter("([a-z])([A-Z])");
    RE2::GlobalReplace(&name, before_word, R"(\1_\2)");
    RE2::GlobalReplace(&name, before_letter, R"(\1_\2)");
    return lower(name);
}

/// Where a layer is: the names of the models around it, and where .keras has their weights.
struct Place {
    std::string inside = {}, path = {};
    int depth = 0;
};

/// Follows a model from its inputs to its outputs, so that each layer gets the width and the mask
/// that reach it.
struct KerasModel {
    const std::vector<CellWeights> known_cells;
    ModelFile& into;
    /// of the layer that is read
    std::string path = {};

    /// A layer or a model; what leaves it.
    Signal read(
        const Json& node, const Signal& in, const Place& place, const std::string& wrapper = "") {
        if (place.depth > deepest_model)
            damaged("models are nested too deeply");
        const std::string class_name = text_member(node, "class_name");
        const Json& config = member(node, "config");
        const Json& layers = config.is_array() ? config : member(config, "layers");
        if (layers.is_array())
            return model(layers, in, place);
        // A wrapper gives its name to the layer in it.
        std::string name = wrapper;
        if (wrapper.empty())
            name = place.inside + text_member(config, "name");
        path = place.path;
        if (class_name == "Bidirectional")
            return bidirectional(node, in, name);
        if (class_name == "RNN")
            return rnn(node, in, name);
        if (const auto kind = kind_of(node))
            return add(*kind, node, in, name);
        // Any other layer with a layer inside: TimeDistributed, wrappers.
        Signal out = passed(node, class_name, in);
        for (const char* part : {"layer", "cell", "model"})
            if (const Json& inner = member(config, part); inner.is_object())
                out.width =
                    read(inner, in, {place.inside, place.path, place.depth + 1}, name).width;
        return out;
    }

    /// A Sequential model has no inbound_nodes: each layer gets what the one
    /// before it gives.
    Signal model(const Json& layers, const Signal& in, const Place& place) {
        std::map<std::string, Signal> by_name;
        std::map<std::string, int> of_class;
        Signal last = in;
        for (const Json& layer : layers) {
            const Json& config = member(layer, "config");
            std::string name = text_member(layer, "name");
            if (name.empty())
                name = text_member(config, "name");
            const std::string snake = snake_case(text_member(layer, "class_name"));
            const int before_it = of_class[snake]++;
            const bool is_model = member(config, "layers").is_array() || config.is_array();
            const Signal from = input_of(layer, by_name, last, in);
            const std::size_t before = into.layers.size();
            Place there{place.inside, place.path + "layers/" + snake, place.depth + 1};
            if (is_model)
                there.inside += name + "/";
            if (before_it > 0)
                there.path += "_" + std::to_string(before_it);
            there.path += "/";
            last = read(layer, from, there);
            by_name[name] = last;
            const Json& inbound = member(layer, "inbound_nodes");
            // shared by several places of the model
            if (inbound.is_array() && inbound.size() > 1)
                for (std::size_t i = before; i < into.layers.size(); ++i)
                    into.layers[i].settings["used"] = std::to_string(inbound.size()) + " times";
        }
        return last;
    }

    /// In a Sequential model, that of the layer before.
    static Signal input_of(
        const Json& layer,
        const std::map<std::string, Signal>& by_name,
        const Signal& last,
        const Signal& of_model) {
        const Json& inbound = member(layer, "inbound_nodes");
        if (text_member(layer, "class_name") == "InputLayer")
            return of_model;
        if (!inbound.is_array())
            return last;
        std::vector<std::string> names;
        add_sources(inbound, names);
        Signal signal;
        std::vector<std::optional<int>> widths;
        for (const std::string& name : names) {
            const Signal* const source = look_up(by_name, name);
            if (!source)
                continue;
            widths.push_back(source->width);
            if (signal.mask.empty())
                signal.mask = source->mask;
        }
        signal.width = joined_width(layer, widths);
        // since Keras 3 a mask is an input of its own
        for (const Json& call : inbound)
            if (member(member(call, "kwargs"), "mask").is_object() && signal.mask.empty())
                signal.mask = names.empty() ? "an input" : names.back();
        return signal;
    }

    /// Of the inputs of a layer: the sum where it concatenates the last axis,
    /// else that of the first that is known.
    static std::optional<int> joined_width(
        const Json& layer, const std::vector<std::optional<int>>& widths) {
        const auto known =
            std::ranges::find_if(widths, [](const auto& width) { return width.has_value(); });
        if (text_member(layer, "class_name") != "Concatenate" || widths.size() < 2) {
            if (known == widths.end())
                return std::nullopt;
            return *known;
        }
        const Json& axis = member(member(layer, "config"), "axis");
        if (axis != Json(-1) && axis != Json(2))
            return std::nullopt;
        std::int64_t sum = 0;
        for (const auto& width : widths) {
            if (!width)
                return std::nullopt;
            sum += *width;
        }
        return size_from(sum);
    }

    /// What leaves a layer that is not recurrent: its width where it is known,
    /// and the mask if it passes one.
    static Signal passed(const Json& node, const std::string& class_name, const Signal& in) {
        const Json& config = member(node, "config");
        Signal out;
        if (passes_mask(class_name))
            out.mask = in.mask;
        if (passes_mask(class_name) && class_name != "Dense")
            out.width = in.width;
        if (class_name == "InputLayer")
            out = in;
        for (const char* size : {"units", "output_dim", "filters"})
            if (const auto width = size_of(member(config, size)))
                out.width = width;
        for (const char* shape : {"batch_shape", "batch_input_shape"})
            if (const auto width = width_of(member(config, shape));
                width && class_name == "InputLayer")
                out.width = width;
        const bool masks = class_name == "Masking" || member(config, "mask_zero") == Json(true);
        if (masks)
            out.mask = text_member(config, "name");
        if (class_name == "Masking" && in.width)
            out.width = in.width;
        else if (class_name == "Masking")
            out.width = width_of(member(config, "batch_input_shape"));
        return out;
    }

    /// Bidirectional computes the layer once forward and once backward; only
    /// its merge_mode changes the width.
    Signal bidirectional(const Json& node, const Signal& in, const std::string& name) {
        const Json& config = member(node, "config");
        const Json& inner = member(config, "layer");
        const std::size_t before = into.layers.size();
        Json once = inner;
        if (member(node, "build_config").is_object())
            once["build_config"] = member(node, "build_config");
        if (config.contains("batch_input_shape"))
            once["config"]["batch_input_shape"] = config["batch_input_shape"];
        Signal out;
        if (text_member(inner, "class_name") == "RNN")
            out = rnn(once, in, name);
        else
            out = add(kind_of(inner).value_or(LayerKind::cell), once, in, name);
        ModelLayer& layer = into.layers[before];
        layer.directions = 2;
        const Json& backward = member(member(config, "backward_layer"), "config");
        for (const std::string& setting : split(kept_settings, ' '))
            if (const std::string word = word_of(member(backward, setting.c_str()));
                !word.empty() && setting != "go_backwards" && word != layer.settings[setting])
                layer.settings[setting] += " forward, " + word + " backward";
        std::string merge = word_of(member(config, "merge_mode"));
        if (merge.empty())
            merge = "None";
        layer.settings["merge_mode"] = merge;
        if (merge == "concat" && out.width)
            out.width = *out.width * 2;
        return out;
    }

    /// The general layer around a cell or a list of cells.
    Signal rnn(const Json& node, const Signal& in, const std::string& name) {
        const Json& cell = member(member(node, "config"), "cell");
        LayerKind kind = LayerKind::stacked_cells;
        if (!cell.is_array())
            kind = kind_of(cell).value_or(LayerKind::cell);
        const Json& own = member(cell, "config");
        const Json& cells = cell.is_array() ? cell : member(own, "cells");
        Json merged = node;
        const Json& of_cell =
            cells.is_array() && !cells.empty() ? member(cells.back(), "config") : own;
        for (const auto& [key, value] : of_cell.items())
            if (key != "name")
                merged["config"].emplace(key, value);
        Signal out = add(kind, merged, in, name);
        if (cells.is_array())
            into.layers.back().layers = std::max(static_cast<int>(cells.size()), 1);
        std::string name_of_cell = "a list";
        if (!cell.is_array())
            name_of_cell = text_member(cell, "class_name");
        into.layers.back().settings["cell"] = name_of_cell;
        return out;
    }

    /// A layer with all that its description states of it; what is not there is
    /// Keras' default and left to the rules.
    Signal add(LayerKind kind, const Json& node, const Signal& in, const std::string& name) {
        const Json& config = member(node, "config");
        ModelLayer layer;
        layer.name = name;
        layer.kind = kind;
        if (const std::string policy = policy_of(config); !policy.empty()) {
            layer.dtype = dtype_of_policy(policy);
            if (*layer.dtype != policy)
                layer.settings["dtype_policy"] = policy;
        }
        // the last of Keras 1
        for (const char* size : {"units", "filters", "output_dim"})
            if (!layer.hidden)
                layer.hidden = size_of(member(config, size));
        layer.settings["class"] = text_member(node, "class_name");
        for (const std::string& setting : split(kept_settings, ' '))
            if (const std::string word = word_of(member(config, setting.c_str())); !word.empty())
                layer.settings[setting] = word;
        if (config.contains("inner_activation"))
            for (const auto& [setting, of_keras_1] : names_of_keras_1)
                if (const std::string word = word_of(member(config, of_keras_1)); !word.empty())
                    layer.settings[setting] = word;
        // it has no layer without
        if (config.contains("inner_activation"))
            layer.settings.emplace("use_bias", "True");
        if (layer.settings["class"].starts_with("CuDNN"))
            for (const auto& [setting, value] : fixed_by_cudnn)
                layer.settings.emplace(setting, value);
        const std::string activation = layer.settings["activation"];
        if (kind == LayerKind::rnn && activation == "tanh")
            layer.kind = LayerKind::rnn_tanh;
        if (kind == LayerKind::rnn && activation == "relu")
            layer.kind = LayerKind::rnn_relu;
        layer.settings["mask"] = "none";
        if (!in.mask.empty())
            layer.settings["mask"] = "from " + in.mask;
        const auto cells = cells_at(name);
        layer.input = input_size(node, in, cells);
        // whose matrices are packed otherwise
        if (!layer.settings["class"].starts_with("CuDNN"))
            set_weights(layer, keras_order, into, cells.size(), [&](std::size_t i) {
                return weights_of(*cells[i]);
            });
        into.layers.push_back(layer);
        // a mask goes on only where there is still one output for each step
        Signal out{layer.hidden, ""};
        if (member(config, "return_sequences") == Json(true))
            out.mask = in.mask;
        return out;
    }

    /// Its cell, or the two of Bidirectional, forward first.
    std::vector<const CellWeights*> cells_at(const std::string& name) const {
        std::vector<const CellWeights*> found;
        const std::string part = "/" + name.substr(name.rfind('/') + 1) + "/";
        for (const CellWeights& cell : known_cells) {
            std::string place = cell.place + "/";
            std::ranges::replace(place, '\\', '/');
            replace_all(place, "_layer_checkpoint_dependencies/", "layers/");
            bool is_of_layer = contains("/" + place, part);
            if (into.format == "keras")
                is_of_layer = place.starts_with(path);
            if (is_of_layer)
                found.push_back(&cell);
        }
        std::stable_partition(found.begin(), found.end(), [](const auto* cell) {
            return contains(cell->place, "/forward_");
        });
        return found;
    }

    /// By the shape that Keras built the layer with, where it stores one; else
    /// by its weights, else by the layer before it.
    static std::optional<int> input_size(
        const Json& node, const Signal& in, const std::vector<const CellWeights*>& cells) {
        const Json& build = member(node, "build_config");
        for (const Json* shape :
             {&member(build, "input_shape"),
              &member(build, "sequences_shape"),
              &member(member(build, "shapes_dict"), "sequences_shape"),
              &member(member(node, "config"), "batch_input_shape")})
            if (const auto width = width_of(*shape))
                return width;
        if (cells.empty())
            return in.width;
        return size_from(cells.front()->sizes.input);
    }
};

}  // namespace

/// Without a description of layers, as of a model class of the user's
/// own, the weights alone are read.
void add_keras_layers(const Json& model, const Weights& weights, ModelFile& into) {
    KerasModel{cells_of(weights), into}.read(model, {}, {});
    const std::string compiled = word_of(member(member(model, "compile_config"), "jit_compile"));
    for (ModelLayer& layer : into.layers)
        if (!compiled.empty())
            layer.settings["jit_compile"] = compiled;
    const Json& config = member(model, "config");
    if (!config.is_array() && !member(config, "layers").is_array() && into.layers.empty())
        add_keras_layers(weights, into);
}

}  // namespace rnncheck::model
