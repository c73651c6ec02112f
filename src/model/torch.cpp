// Long because checkpoints, TorchScript and safetensors end in the same modules.
// PyTorch: checkpoints, TorchScript archives, safetensors. Files without a framework of
// their own end here, too, as PyTorch's names are the most usual ones.
#include <re2/re2.h>

#include <set>

#include "base/if_any.hpp"
#include "base/lists.hpp"
#include "base/text.hpp"
#include "model/arrays.hpp"
#include "model/pickle.hpp"
#include "model/readers.hpp"

namespace rnncheck::model {

namespace {

using Kind = PickleNode::Kind;

/// What is known of modules beside their weights, by name.
using ModuleSettings = std::map<std::string, TextMap>;

/// The parameters of one module: weight_ih_l0, weight_ih_l0_reverse; those
/// of a cell as of its layer 0.
struct Module {
    std::string container, name;
    std::map<std::string, const Tensor*> parameters = {};
    int layers = 0;
    bool cell = false, reverse = false;

    /// "weight_ih_l0" of a name without its layer; null where the module does not have it.
    const Tensor* find(const std::string& parameter, int layer = 0, bool backward = false) const {
        std::string_view direction;
        if (backward)
            direction = "_reverse";
        const auto* found = look_up(parameters, concat(parameter, "_l", layer, direction));
        if (!found)
            return nullptr;
        return *found;
    }
};

/// The parameters by the modules that have them: all that a checkpoint shows of
/// a layer are their names, "encoder.lstm.weight_ih_l0", and their shapes.
std::vector<Module> modules_of(const std::vector<NamedTensor>& tensors) {
    constexpr int most_layers = 10'000;
    // lstm.weight_ih_l0_reverse, without a layer in a cell. torch.nn.utils.weight_norm
    // and torch.nn.utils.parametrize keep the original under another name.
    static const re2::RE2 form(
        R"((?:(.*?)\.)??(?:parametrizations\.)?((?:weight|bias)_(?:ih|hh|hr))(?:_l([0-9]+))?(_reverse)?)"
        R"((?:_orig|_raw|_v)*(?:\.original1?)?)",
        re2::RE2::Latin1);
    std::vector<Module> modules;
    std::map<std::pair<std::string, std::string>, std::size_t> known;
    // fastai's WeightDropout keeps the recurrent weights, and the layer in
    // itself as "module".
    std::set<std::string> dropped;
    for (const NamedTensor& tensor : tensors)
        if (const auto at = tensor.name.find("weight_hh_l");
            at != std::string::npos && tensor.name.ends_with("_raw"))
            dropped.insert(tensor.name.substr(0, at) + "module");
    for (const NamedTensor& tensor : tensors) {
        std::string name, parameter, number, reverse;
        if (!re2::RE2::FullMatch(tensor.name, form, &name, &parameter, &number, &reverse))
            continue;
        if (dropped.contains(name))
            name.resize(std::max<std::size_t>(name.size(), 7) - (name == "module" ? 6 : 7));
        int layer = 0;
        if (!number.empty())
            layer = number_from(number).value_or(most_layers);
        if (layer >= most_layers)
            continue;
        const auto [entry, added] = known.try_emplace({tensor.container, name}, modules.size());
        if (added)
            modules.push_back({tensor.container, name});
        Module& module = modules[entry->second];
        module.cell |= number.empty();
        module.reverse |= !reverse.empty();
        module.layers = std::max(module.layers, layer + 1);
        module.parameters.try_emplace(
            parameter + "_l" + std::to_string(layer) + reverse, &tensor.tensor);
    }
    return modules;
}

/// Of one layer and direction; nothing where the numbers of one of its arrays are not in
/// the file.
std::optional<DirectionWeights> weights_of(const Module& module, int layer, bool backward) {
    DirectionWeights weights;
    const std::pair<const char*, Numbers*> parts[] = {
        {"weight_ih", &weights.input},
        {"weight_hh", &weights.recurrent},
        {"bias_ih", &weights.input_bias},
        {"bias_hh", &weights.recurrent_bias},
        {"weight_hr", &weights.projection}};
    for (const auto& [name, numbers] : parts)
        if (const Tensor* const tensor = module.find(name, layer, backward)) {
            auto found = numbers_in(*tensor);
            if (!found)
                return std::nullopt;
            *numbers = std::move(*found);
        }
    return weights;
}

/// As PyTorch writes a shape: "[32, 8]".
std::string shape_in_words(const Tensor& tensor) {
    return "[" +
           join(
               mapped(tensor.shape, [](std::int64_t size) { return std::to_string(size); }), ", ") +
           "]";
}

/// The first array of a layer and direction that does not fit those of
/// the first; "" where all fit.
std::string contradiction_in(
    const Module& module, const ModelLayer& layer, const CellSizes& sizes) {
    const std::int64_t rows = sizes.gates * sizes.hidden;
    const Tensor* const first = module.find("weight_hh");
    const std::int64_t state = first->shape[1];
    for (int i = 0; i < module.layers; ++i)
        for (const bool backward : {false, true}) {
            if (backward && !module.reverse)
                continue;
            // Layers above the first take the state of the one below, of both directions.
            std::int64_t columns = sizes.input;
            if (i > 0)
                columns = layer.directions * state;
            const struct {
                const char* name;
                std::vector<std::int64_t> shape;
            } wanted[] = {
                {"weight_ih", {rows, columns}},
                {"weight_hh", {rows, state}},
                {"bias_ih", {rows}},
                {"bias_hh", {rows}}};
            for (const auto& [name, shape] : wanted) {
                const Tensor* const tensor = module.find(name, i, backward);
                if (!tensor || tensor->shape == shape)
                    continue;
                const std::string_view direction = backward ? "_reverse" : "";
                return concat(
                    name,
                    "_l",
                    i,
                    direction,
                    " is ",
                    shape_in_words(*tensor),
                    " instead of ",
                    shape_in_words(Tensor{shape}));
            }
        }
    return "";
}

/// The weights are [gates * hidden][input] and [gates * hidden][hidden, or the
/// projection's size]; nothing where the shapes are those of no layer.
std::optional<ModelLayer> layer_of(const Module& module, ModelFile& file) {
    const Tensor *input = module.find("weight_ih"), *state = module.find("weight_hh"),
                 *projection = module.find("weight_hr");
    if (!input || !state || (projection && projection->shape.size() != 2))
        return std::nullopt;
    std::int64_t projected = 0;
    if (projection)
        projected = projection->shape[1];
    const auto sizes = cell_sizes(*input, *state, false, projected);
    if (!sizes)
        return std::nullopt;
    std::optional<std::string> dtype;
    if (!state->dtype.empty())
        dtype = state->dtype;
    ModelLayer layer{
        module.name,
        kind_by(sizes->gates, module.cell),
        size_from(sizes->input),
        size_from(sizes->hidden),
        module.layers,
        directions_of(module.reverse),
        dtype,
        {}};
    layer.settings["bias"] = python_bool(module.find("bias_ih"));
    if (const std::string found = contradiction_in(module, layer, *sizes); !found.empty())
        layer.settings["contradiction"] = found;
    if (projection)
        layer.settings["proj_size"] = std::to_string(projection->shape[0]);
    // Pseudo-layers of cuDNN: of each layer the forward and then the backward direction.
    const auto directions = static_cast<std::size_t>(layer.directions);
    set_weights(
        layer,
        torch_order,
        file,
        static_cast<std::size_t>(layer.layers) * directions,
        [&](std::size_t i) {
            return weights_of(module, static_cast<int>(i / directions), i % directions == 1);
        });
    return layer;
}

/// Paddle's layers have the arrays of their cells twice: rnn.weight_ih_l0 and
/// rnn.0.cell_fw.weight_ih.
bool is_paddle_copy(
    const Module& module, const std::vector<std::pair<std::string, ModelLayer>>& found) {
    static const re2::RE2 inner(R"((.*)\.[0-9]+\.cell(?:_fw|_bw)?)", re2::RE2::Latin1);
    std::string layer;
    if (!module.cell || !re2::RE2::FullMatch(module.name, inner, &layer))
        return false;
    return std::ranges::any_of(found, [&](const auto& one) { return one.second.name == layer; });
}

/// Whether the cell has one bias, as Equinox' have.
bool is_equinox(const Module& module, const std::vector<NamedTensor>& tensors) {
    if (!module.cell || module.find("bias_ih"))
        return false;
    const std::string bias = if_any("", module.name, ".") + "bias";
    return std::ranges::any_of(tensors, [&](const NamedTensor& one) {
        return one.name == bias && one.container == module.container &&
               one.tensor.shape.size() == 1;
    });
}

/// What modules in a pickle know beside their weights.
void add_settings(ModelLayer& layer, const TextMap& settings) {
    for (const auto& [name, value] : settings)
        layer.settings.insert_or_assign(name, value);
    const auto* const function = look_up(layer.settings, "nonlinearity");
    if (!function || layer.kind != LayerKind::rnn)
        return;
    layer.kind = LayerKind::rnn_tanh;
    if (*function == "relu")
        layer.kind = LayerKind::rnn_relu;
}

using FoundLayers = std::vector<std::pair<std::string, ModelLayer>>;

/// Averaged weights beside the model's own (icefall's model_avg, EMA,
/// SWA) are no layers of their own.
std::set<std::string> drop_copies(
    FoundLayers& found, std::set<std::string>& containers, ModelFile& into) {
    static const re2::RE2 average(
        "(?i)(?:^|[._])(?:avg|average|averaged|ema|swa|shadow)(?:[._]|$)", re2::RE2::Latin1);
    const auto is_copy = [&](const auto& one) {
        return re2::RE2::PartialMatch(one.first, average) &&
               std::ranges::any_of(found, [&](const auto& other) {
                   return other.first != one.first && other.second.name == one.second.name &&
                          other.second.hidden == one.second.hidden &&
                          !re2::RE2::PartialMatch(other.first, average);
               });
    };
    std::set<std::string> copies;
    for (const auto& one : found)
        if (is_copy(one))
            copies.insert(one.first);
    std::erase_if(found, [&](const auto& one) { return copies.contains(one.first); });
    for (const std::string& copy : copies) {
        containers.erase(copy);
        into.notes.push_back("'" + copy + "' has averaged weights of the same layers");
    }
    return copies;
}

/// PyTorch's recurrent layers by the names and shapes of their parameters.
void add_torch_layers(
    const std::vector<NamedTensor>& tensors, const ModuleSettings& modules, ModelFile& into) {
    into.framework = "pytorch";
    std::set<std::string> containers;
    FoundLayers found;
    for (const Module& module : modules_of(tensors)) {
        if (is_paddle_copy(module, found) || is_equinox(module, tensors))
            continue;
        auto layer = layer_of(module, into);
        if (!layer)
            continue;
        if (const auto* known = look_up(modules, module.name))
            add_settings(*layer, *known);
        containers.insert(module.container);
        found.emplace_back(module.container, std::move(*layer));
    }
    if (!found.empty() && modules.empty() && into.format != "torchscript")
        into.notes.emplace_back(
            "the file contains only weights: dropout, batch_first and whether nn.RNN computes tanh "
            "or relu are "
            "unknown, but do not decide");
    const std::set<std::string> copies = drop_copies(found, containers, into);
    // The name of a container matters where there are several with the same layers.
    for (auto& [container, layer] : found) {
        if (containers.size() > 1 && !container.empty())
            layer.name = container + "." + layer.name;
        into.layers.push_back(std::move(layer));
    }
    const bool cells = std::ranges::any_of(into.layers, [](const ModelLayer& layer) {
        return layer.kind == LayerKind::lstm_cell || layer.kind == LayerKind::gru_cell;
    });
    if (cells && into.format == "safetensors")
        into.notes.emplace_back(
            "cells of PyTorch and of tinygrad have the same names; neither uses cuDNN for them");
    // Cells by names are not looked for among averaged weights, as their layers
    // are not listed.
    if (copies.empty())
        return add_cells_by_names(tensors, into);
    std::vector<NamedTensor> own = tensors;
    std::erase_if(own, [&](const NamedTensor& one) { return copies.contains(one.container); });
    add_cells_by_names(own, into);
}

/// A storage's numbers by its key, where they are in the file.
using Storages = std::map<std::string, std::string_view, std::less<>>;

/// The elements of a persistent id: ("storage", type, key, place,
/// elements); null where it is another.
const std::vector<std::size_t>* storage_id(const Pickle& pickle, const PickleNode& node) {
    if (node.kind != Kind::persistent || node.items.empty())
        return nullptr;
    const auto& id = pickle[node.items[0]].items;
    if (id.size() < 3)
        return nullptr;
    return &id;
}

/// Walks what a pickle describes and collects tensors and recurrent modules
/// with their names.
struct Checkpoint {
    const Pickle& pickle;
    const Storages& storages;
    std::vector<NamedTensor> tensors = {};
    ModuleSettings modules = {};
    std::optional<std::string> lightning = {};
    std::set<const PickleNode*> seen = {};

    /// Of dictionaries and objects in each other: a file must not exhaust the stack.
    static constexpr int deepest = 200;
    static constexpr std::string_view packed_weights = "._all_weight_values.";

    /// A dictionary is a container of tensors, an object a module; `name` is the
    /// path below the container. Values that are used twice are visited once.
    void visit(
        const PickleNode& node,
        const std::string& container,
        const std::string& name,
        bool in_module,
        int depth) {
        if (depth > deepest || (node.kind != Kind::dictionary && node.kind != Kind::object))
            return;
        if (const auto tensor = tensor_of(node, depth))
            return tensors.push_back({container, name, *tensor});
        if (!seen.insert(&node).second)
            return;
        const PickleNode* const maker = pickle.maker(node);
        if (maker && maker->text != "OrderedDict")
            in_module = true;
        if (maker)
            note_module(node, *maker, name);
        if (depth == 0)
            lightning = pickle.word(node, "pytorch-lightning_version");
        for (std::size_t i = 0; i + 1 < node.pairs.size(); i += 2) {
            const PickleNode &of_key = pickle[node.pairs[i]], &value = pickle[node.pairs[i + 1]];
            if (of_key.kind != Kind::text)
                continue;
            const std::string key(of_key.text);
            const bool structure = key == "_modules" || key == "_parameters" || key == "_buffers";
            std::string inner = name;
            if (!structure)
                inner = below(name, key);
            if (contains(inner, packed_weights))
                add_packed(container, inner, value);
            else if (in_module || tensor_of(value, depth))
                visit(value, container, inner, in_module, depth + 1);
            else
                visit(value, below(container, key), "", false, depth + 1);
        }
    }

    /// The name of a member: "encoder.lstm", or "lstm" at the top.
    static std::string below(const std::string& around, const std::string& key) {
        return if_any("", around, ".") + key;
    }

    /// A dynamically quantized layer keeps its weights in objects:
    /// rnn._all_weight_values.0.param, one for each layer and direction, with
    /// the matrices of inputs and of states.
    void add_packed(
        const std::string& container, const std::string& name, const PickleNode& value) {
        std::vector<Tensor> matrices;
        collect_matrices(value, matrices, 0);
        const auto at = name.find(packed_weights);
        const auto number =
            leading_number(std::string_view(name).substr(at + packed_weights.size()));
        if (matrices.size() < 2 || !number)
            return;
        const char* const names[] = {".weight_ih_l", ".weight_hh_l"};
        for (const std::size_t i : {0, 1})
            tensors.push_back(
                {container,
                 name.substr(0, at) + names[i] + std::to_string(*number),
                 {matrices[i].shape, "qint8"}});
        modules[name.substr(0, at)]["quantized"] = "dynamic";
    }

    /// The first two matrices below a value, in the file's order.
    void collect_matrices(const PickleNode& node, std::vector<Tensor>& into, int depth) const {
        if (depth > deepest || into.size() >= 2)
            return;
        if (auto tensor = tensor_of(node, depth)) {
            if (tensor->shape.size() == 2)
                into.push_back(std::move(*tensor));
            return;
        }
        for (const auto* children : {&node.items, &node.pairs})
            for (const std::size_t child : *children)
                collect_matrices(pickle[child], into, depth + 1);
    }

    /// Attributes of a module of torch.nn.modules.rnn, which a pickled
    /// model has and a state_dict lacks.
    void note_module(const PickleNode& node, const PickleNode& maker, const std::string& name) {
        if (!contains(maker.module, "modules.rnn"))
            return;
        TextMap& settings = modules[name];
        for (const char* setting : {"nonlinearity", "dropout", "batch_first", "bidirectional"})
            if (const auto word = pickle.word(node, setting))
                settings[setting] = *word;
        // nn.RNN keeps the nonlinearity in `mode` (torch/nn/modules/rnn.py, RNN.__init__).
        const std::string mode = pickle.word(node, "mode").value_or("");
        if (mode == "RNN_TANH" || mode == "RNN_RELU")
            settings["nonlinearity"] = lower(mode.substr(4));
    }

    /// torch/_utils.py: _rebuild_tensor_v2(storage, offset, size, stride, ...),
    /// _rebuild_parameter(tensor, ...).
    std::optional<Tensor> tensor_of(const PickleNode& node, int depth) const {
        const PickleNode* const maker = pickle.maker(node);
        if (!maker || node.items.size() < 2 || depth > deepest)
            return std::nullopt;
        const auto& arguments = pickle[node.items[1]].items;
        if (maker->text == "_reconstruct" || maker->text == "_reconstruct_array")
            return numpy_array(node, *maker, arguments);
        if (!maker->text.starts_with("_rebuild_"))
            return std::nullopt;
        if (maker->text.starts_with("_rebuild_parameter") && arguments.empty())
            return std::nullopt;
        if (maker->text.starts_with("_rebuild_parameter"))
            return tensor_of(pickle[arguments[0]], depth + 1);
        if (arguments.size() < 4)
            return std::nullopt;
        Tensor tensor{numbers(arguments[2]), {}, {}, numbers(arguments[3])};
        read_storage(pickle[arguments[0]], pickle[arguments[1]].number, tensor);
        // _rebuild_tensor_v3 has the type as an argument, the others have it by the storage.
        if (arguments.size() > 6 && pickle[arguments[6]].kind == Kind::global)
            tensor.dtype = pickle[arguments[6]].text;
        return tensor;
    }

    /// numpy.ndarray.__reduce__: made empty, then its state: version, shape,
    /// type, order, bytes. JAX' arrays keep that state as their third argument.
    std::optional<Tensor> numpy_array(
        const PickleNode& node,
        const PickleNode& maker,
        const std::vector<std::size_t>& arguments) const {
        const bool jax = maker.text == "_reconstruct_array";
        const std::vector<std::size_t>& values = jax ? arguments : node.items;
        if (values.size() < 3)
            return std::nullopt;
        const auto& state = pickle[values[2]].items;
        if (state.size() < 4)
            return std::nullopt;
        Tensor tensor{numbers(state[1])};
        // The type is numpy.dtype("f4", ...): its first argument.
        const PickleNode& type = pickle[state[2]];
        if (type.items.size() > 1 && !pickle[type.items[1]].items.empty()) {
            const std::string_view name = pickle[pickle[type.items[1]].items[0]].text;
            tensor.dtype = dtype_of_numpy(name);
        }
        return tensor;
    }

    /// The whole numbers of a list or tuple.
    std::vector<std::int64_t> numbers(std::size_t list) const {
        std::vector<std::int64_t> found;
        for (const std::size_t number : pickle[list].items)
            found.push_back(pickle[number].number);
        return found;
    }

    /// torch.storage._load_from_bytes(BYTES), as pickle.dump writes tensors:
    /// its bytes are a file of torch.save.
    void note_type_of_pickled(const PickleNode& storage, Tensor& tensor) const {
        const PickleNode* const maker = pickle.maker(storage);
        if (!maker || maker->text != "_load_from_bytes" || storage.items.size() < 2)
            return;
        const auto& arguments = pickle[storage.items[1]].items;
        if (arguments.empty())
            return;
        const std::string_view bytes = pickle[arguments[0]].text.substr(0, 4096);
        for (const DtypeNames& type : dtype_names)
            if (bytes.find(concat("\n", type.storage, "\n")) != std::string_view::npos ||
                bytes.find(concat(" ", type.storage)) != std::string_view::npos)
                tensor.dtype = type.name;
    }

    /// Type and bytes of a tensor whose first number is `offset` elements into its storage.
    void read_storage(const PickleNode& storage, std::int64_t offset, Tensor& tensor) const {
        const auto* const id = storage_id(pickle, storage);
        if (!id)
            return note_type_of_pickled(storage, tensor);
        tensor.dtype = dtype_by(&DtypeNames::storage, pickle[(*id)[1]].text, pickle[(*id)[1]].text);
        const auto* const bytes = look_up(storages, pickle[(*id)[2]].text);
        const auto at = static_cast<std::uint64_t>(offset) * bytes_of(tensor.dtype);
        if (bytes && at < bytes->size())
            tensor.bytes = bytes->substr(at);
    }
};

/// Of a pickle without arrays of PyTorch: by the first library that it names.
std::string advice_for(const Pickle& pickle) {
    const struct {
        std::string_view module, advice;
    } known[] = {
        {"keras",
         "it is a pickle of a Keras object; save the model with model.save(\"model.keras\") and "
         "give that file"},
        {"tensorflow",
         "it is a pickle of a TensorFlow object; save the model with model.save(\"model.keras\") "
         "and give that file"},
        {"sklearn",
         "it is a pickle of scikit-learn, which has no recurrent layers; give the file of the "
         "network beside it"},
        {"joblib",
         "it is a pickle of joblib, not of a network; give the file of the network beside it"},
        {"madmom",
         "it is a model of madmom, which computes it with NumPy and never uses cuDNN; nothing is "
         "to be done"},
        {"sklearn_crfsuite", "it is a conditional random field, which has no recurrent layers"},
        {"pandas", "it is a table of pandas, not a model; give the file of the network"},
        {"chainer",
         "it is a pickle of Chainer; save the model with chainer.serializers.save_npz and give "
         "that file"},
        {"torch",
         "the pickle contains no weights of PyTorch; save them with torch.save(model.state_dict(), "
         "...)"}};
    for (const auto& [module, advice] : known)
        for (const PickleNode& node : pickle.nodes())
            if (node.kind == Kind::global &&
                (node.module == module || node.module.starts_with(std::string(module) + ".")))
                return std::string(advice);
    return "it is a Python pickle without arrays: data or settings, not the weights of a model; "
           "give the file that has "
           "the "
           "weights, of PyTorch one that torch.save(model.state_dict(), ...) wrote";
}

/// NumPy's arrays of another library's object, or arrays alone of which
/// no name shows what they are.
void reject_data(const Pickle& pickle, ModelFile& file) {
    const std::string advice = advice_for(pickle);
    if (!contains(advice, "without arrays"))
        throw InputError(advice);
    add_once(
        file.unclear, "it is a pickle of arrays alone, and none is named after a recurrent cell");
}

/// Of a dynamically quantized layer the matrices are numbered by layer and direction in
/// one: those of both directions are [.., input], [.., input], [.., 2 * hidden], ...
void name_directions(std::vector<NamedTensor>& tensors, ModuleSettings& modules) {
    for (auto& [name, settings] : modules) {
        if (!settings.contains("quantized"))
            continue;
        std::vector<NamedTensor*> inputs, states;
        for (NamedTensor& tensor : tensors) {
            if (tensor.name.starts_with(name + ".weight_ih_l"))
                inputs.push_back(&tensor);
            if (tensor.name.starts_with(name + ".weight_hh_l"))
                states.push_back(&tensor);
        }
        if (inputs.size() < 2 || inputs.size() != states.size() || inputs.size() % 2 == 1)
            continue;
        const auto& first = inputs[0]->tensor.shape;
        const bool deeper =
            inputs.size() > 2 && inputs[2]->tensor.shape[1] == 2 * states[0]->tensor.shape[1];
        const bool both = inputs[1]->tensor.shape == first && (inputs.size() == 2 || deeper);
        const bool stated =
            settings.contains("bidirectional") && settings["bidirectional"] == "True";
        // Two layers in one direction have the same shapes where the
        // input is as large as the state.
        const bool either =
            inputs.size() == 2 && first.size() == 2 && first[1] == states[0]->tensor.shape[1];
        if (!stated && (!both || either))
            continue;
        for (auto* const matrices : {&inputs, &states})
            for (std::size_t i = 0; i < matrices->size(); ++i) {
                std::string& named = (*matrices)[i]->name;
                named.resize(named.rfind("_l") + 2);
                named += std::to_string(i / 2);
                if (i % 2 == 1)
                    named += "_reverse";
            }
    }
}

/// A checkpoint of any framework that pickles as PyTorch does: Paddle's marks itself
/// by a key, and one without tensors of PyTorch is of NumPy's or JAX' arrays.
void read_checkpoint(const Pickle& pickle, const Storages& storages, ModelFile& file) {
    Checkpoint checkpoint{pickle, storages};
    checkpoint.visit(pickle.root(), "", "", false, 0);
    name_directions(checkpoint.tensors, checkpoint.modules);
    if (checkpoint.tensors.empty() && file.format != "torchscript")
        throw InputError(advice_for(pickle));
    const bool paddle = std::ranges::any_of(pickle.nodes(), [](const PickleNode& node) {
        return node.text == "StructuredToParameterName@@";
    });
    add_torch_layers(checkpoint.tensors, checkpoint.modules, file);
    const bool arrays = std::ranges::any_of(
        pickle.nodes(), [](const PickleNode& node) { return node.text.starts_with("_rebuild_"); });
    if (paddle) {
        file.framework = "paddle";
        file.format = "pdparams";
    } else if (!arrays && file.framework == "pytorch" && file.format != "torchscript") {
        file.framework = "numpy";
        if (file.layers.empty() && file.unclear.empty())
            reject_data(pickle, file);
    }
    if (checkpoint.tensors.size() == 1 && checkpoint.tensors[0].name.empty() && file.layers.empty())
        throw InputError("it is one tensor, not a model; give the file of the model");
    if (checkpoint.lightning)
        file.notes.push_back("written by PyTorch Lightning " + *checkpoint.lightning);
}

/// Behind what was saved: the keys of the storages in a pickle, then of each
/// the number of its elements, and these.
Storages legacy_storages(const Pickle& saved, std::string_view bytes) {
    std::map<std::string_view, std::size_t> element_bytes;
    // The size of an element is only in the persistent id of its storage.
    for (const PickleNode& node : saved.nodes())
        if (const auto* const id = storage_id(saved, node))
            element_bytes[saved[(*id)[2]].text] =
                bytes_of(dtype_by(&DtypeNames::storage, saved[(*id)[1]].text));
    const Pickle keys(bytes, saved.end());
    Cursor data(bytes, keys.end());
    Storages storages;
    for (const std::size_t key : keys.root().items) {
        const std::size_t size = element_bytes[keys[key].text];
        if (size == 0)
            break;  // of a type whose size is not known here
        const std::uint64_t count = data.number(8);
        storages[std::string(keys[key].text)] =
            data.text(std::min<std::uint64_t>(count, bytes.size()) * size);
    }
    return storages;
}

/// The constants of TorchScript's code, a tuple of tensors; others
/// are tensors without a shape.
std::vector<Tensor> constants_of(const ZipArchive& archive) {
    constexpr std::size_t most = 100'000;
    const Pickle pickle(archive.content(*archive.find("constants.pkl")));
    const Checkpoint reader{pickle, {}};
    std::vector<Tensor> constants;
    for (const std::size_t item : pickle.root().items)
        if (constants.size() < most)
            constants.push_back(reader.tensor_of(pickle[item], 0).value_or(Tensor()));
    return constants;
}

/// The numbers of a member of a tensor; InputError where they are none, or beyond `most`.
std::vector<std::int64_t> whole_numbers(const Json& about, const char* name, std::uint64_t most) {
    std::vector<std::int64_t> numbers;
    for (const Json& number : member(about, name)) {
        if (!number.is_number_unsigned() || number.get<std::uint64_t>() > most)
            damaged("a tensor's " + std::string(name) + " are not in the file");
        numbers.push_back(number.get<std::int64_t>());
    }
    return numbers;
}

/// Eight bytes with the length of a header in JSON, then all numbers one after the other.
/// Format: https://huggingface.co/docs/safetensors/index#format.
void add_safetensors(std::string_view bytes, std::vector<NamedTensor>& into) {
    constexpr std::uint64_t longest_header = 32 << 20;
    const std::uint64_t length = little(bytes, 0, 8);
    if (length > longest_header)
        throw InputError("it is not safetensors: its header would be longer than 32 MiB");
    const Json header = parsed_json(slice(bytes, 8, length), "the header");
    const std::string_view data = bytes.substr(8 + length);
    for (const auto& [name, about] : header.items()) {
        if (name == "__metadata__")
            continue;
        const auto place = whole_numbers(about, "data_offsets", bytes.size());
        const std::string type = text_member(about, "dtype");
        NamedTensor& added = into.emplace_back(NamedTensor{"", name, {}});
        added.tensor.shape = whole_numbers(about, "shape", bytes.size());
        added.tensor.dtype = dtype_by<std::string_view>(&DtypeNames::safetensors, type, type);
        if (place.size() == 2 && static_cast<std::uint64_t>(place[0]) < data.size())
            added.tensor.bytes = data.substr(static_cast<std::size_t>(place[0]));
    }
}

}  // namespace

/// TorchScript's archive has constants.pkl beside data.pkl. Weights that are
/// packed, method 8, are not read.
void read_torch_zip(const ZipArchive& archive, ModelFile& into) {
    into.format = "torch_zip";
    if (archive.find("constants.pkl"))
        into.format = "torchscript";
    Storages storages;
    for (const auto& entry : archive.entries())
        if (into.weights_wanted > 0 && contains(entry.name, "/data/") && entry.method == 0)
            storages[file_name(entry.name)] = archive.content(entry);
    read_checkpoint(Pickle(archive.content(*archive.find("data.pkl"))), storages, into);
    if (into.format == "torchscript")
        read_script_code(archive, constants_of(archive), into);
}

void read_torch_pickle(std::string_view bytes, ModelFile& into) {
    // torch/serialization.py, _legacy_save: magic number, protocol, system,
    // what was saved, then the storages.
    constexpr int before = 3;
    reject_joblib(bytes);
    into.format = "torch_legacy";
    std::uint64_t at = 0;
    // A file of torch.save before 1.6 begins with its magic number, any other
    // pickle with what it is about.
    const bool legacy = Pickle(bytes).root().kind == Kind::whole;
    for (int i = 0; legacy && i < before; ++i)
        at = Pickle(bytes, at).end();
    const Pickle saved(bytes, at);
    Storages storages;
    if (legacy && into.weights_wanted > 0)
        storages = legacy_storages(saved, bytes);
    read_checkpoint(saved, storages, into);
}

void read_safetensors(std::string_view bytes, ModelFile& into) {
    into.format = "safetensors";
    std::vector<NamedTensor> tensors;
    add_safetensors(bytes, tensors);
    add_torch_layers(tensors, {}, into);
}

/// Arrays of NumPy may have PyTorch's names, as where a program converts a checkpoint.
void add_layers_of_arrays(const std::vector<NamedTensor>& tensors, ModelFile& into) {
    add_torch_layers(tensors, {}, into);
    if (into.framework == "pytorch")
        into.framework = "numpy";
}

/// A file of pytorch_model.bin.index.json; of its weights only names and shapes are kept.
static void add_torch_shard(std::string_view bytes, std::vector<NamedTensor>& into) {
    const ZipArchive archive(bytes);
    const auto* const data = archive.find("data.pkl");
    if (!data)
        damaged("it is no file of PyTorch");
    const Pickle pickle(archive.content(*data));
    Checkpoint checkpoint{pickle, {}};
    checkpoint.visit(pickle.root(), "", "", false, 0);
    for (NamedTensor& tensor : checkpoint.tensors)
        into.push_back(std::move(tensor));
}

/// The files are named by each tensor; the names and shapes of all of
/// them together make the layers.
void read_safetensors_index(const Json& index, const std::string& directory, ModelFile& into) {
    into.format = "safetensors";
    std::set<std::string> names;
    for (const Json& shard : member(index, "weight_map"))
        if (shard.is_string())
            names.insert(shard.get<std::string>());
    std::vector<std::unique_ptr<MappedFile>> shards;
    std::vector<NamedTensor> tensors;
    for (const std::string& name : names) {
        if (contains(name, "/") || name.empty())
            throw InputError("the index names a file outside its directory");
        try {
            const std::string_view bytes =
                shards.emplace_back(std::make_unique<MappedFile>(directory + "/" + name))->bytes();
            if (bytes.starts_with("PK"))
                add_torch_shard(bytes, tensors);
            else
                add_safetensors(bytes, tensors);
        } catch (const InputError& error) {
            throw InputError("'" + name + "', which the index names: " + error.what());
        }
    }
    add_torch_layers(tensors, {}, into);
}

}  // namespace rnncheck::model
