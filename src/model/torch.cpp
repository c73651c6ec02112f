// PyTorch: checkpoints, TorchScript archives, safetensors.
#include <algorithm>
#include <array>
#include <set>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "model/pickle.hpp"
#include "model/readers.hpp"
#include "model/zip.hpp"

namespace rnncheck::model {

namespace {

using Kind = PickleNode::Kind;

/// "lstm.weight_ih_l0_reverse": module, parameter, layer (none in a cell) and direction.
struct ParameterName {
    std::string module, parameter;
    std::optional<int> layer;
    bool reverse = false;
};

std::optional<ParameterName> parameter_name(std::string_view name) {
    // torch.nn.utils.weight_norm and torch.nn.utils.parametrize keep the original under another name.
    constexpr std::string_view parametrized = "parametrizations.",
                               parameters[] = {"weight_ih", "weight_hh", "weight_hr", "bias_ih", "bias_hh"};
    if (name.ends_with(".original1") || name.ends_with(".original")) name = name.substr(0, name.rfind('.'));
    for (const std::string_view suffix : {"_orig", "_raw", "_v"})
        if (name.ends_with(suffix)) name.remove_suffix(suffix.size());
    const std::size_t begin = name.rfind('.') == std::string_view::npos ? 0 : name.rfind('.') + 1;
    std::string_view module = name.substr(0, begin == 0 ? 0 : begin - 1), rest = name.substr(begin);
    if (begin > 0 && name.substr(0, begin).ends_with(parametrized))
        module.remove_suffix(std::min(module.size(), parametrized.size()));
    for (const std::string_view parameter : parameters) {
        if (!rest.starts_with(parameter)) continue;
        rest.remove_prefix(parameter.size());
        ParameterName parts{std::string(module), std::string(parameter), {}, rest.ends_with("_reverse")};
        if (parts.reverse) rest.remove_suffix(std::string_view("_reverse").size());
        if (rest.starts_with("_l")) parts.layer = number_from(rest.substr(2));
        if (rest.empty() || parts.layer) return parts;
    }
    return std::nullopt;
}

/// The parameters of one module.
struct Module {
    std::string container, name;
    std::map<std::string, const Tensor*> first;  ///< of the first layer, by parameter
    int layers = 0;
    bool cell = false, reverse = false;
};

std::vector<Module> modules_of(const std::vector<Tensor>& tensors) {
    std::vector<Module> modules;
    std::map<std::pair<std::string, std::string>, std::size_t> known;
    for (const Tensor& tensor : tensors) {
        const auto name = parameter_name(tensor.name);
        if (!name) continue;
        const auto [entry, added] = known.try_emplace({tensor.container, name->module}, modules.size());
        if (added) modules.push_back({tensor.container, name->module, {}, 0, false, false});
        Module& module = modules[entry->second];
        module.cell |= !name->layer;
        module.reverse |= name->reverse;
        module.layers = std::max(module.layers, name->layer.value_or(0) % 1'000'000 + 1);
        if (name->layer.value_or(0) == 0) module.first.try_emplace(name->parameter, &tensor);
    }
    return modules;
}

LayerKind kind_by(std::int64_t gates, bool cell) {
    if (gates == 4) return cell ? LayerKind::lstm_cell : LayerKind::lstm;
    if (gates == 3) return cell ? LayerKind::gru_cell : LayerKind::gru;
    return cell ? LayerKind::rnn_cell : LayerKind::rnn;
}

/// The weights are [gates * hidden][input] and [gates * hidden][hidden, or the projection's size].
std::optional<ModelLayer> layer_of(const Module& module) {
    const auto find = [&](const char* parameter) {
        const auto found = module.first.find(parameter);
        return found == module.first.end() ? nullptr : found->second;
    };
    const Tensor *input = find("weight_ih"), *state = find("weight_hh"), *projection = find("weight_hr");
    if (!input || !state || input->shape.size() != 2 || state->shape.size() != 2) return std::nullopt;
    if (projection && projection->shape.size() != 2) return std::nullopt;
    const std::int64_t hidden = projection ? projection->shape[1] : state->shape[1], rows = state->shape[0];
    const std::int64_t gates = hidden > 0 ? rows / hidden : 0;
    if (rows != gates * hidden || input->shape[0] != rows || (gates != 1 && gates != 3 && gates != 4))
        return std::nullopt;
    ModelLayer layer{module.name,
                     kind_by(gates, module.cell),
                     static_cast<int>(input->shape[1]),
                     static_cast<int>(hidden),
                     module.layers,
                     module.reverse ? 2 : 1,
                     state->dtype,
                     {}};
    layer.settings["bias"] = find("bias_ih") ? "True" : "False";
    if (projection) layer.settings["proj_size"] = std::to_string(projection->shape[0]);
    return layer;
}

/// What modules in a pickle know beside their weights.
void add_settings(ModelLayer& layer, const TextMap& settings) {
    for (const auto& [name, value] : settings) layer.settings.insert_or_assign(name, value);
    // Numbered by layer and direction in one.
    if (settings.contains("quantized") && layer.settings["bidirectional"] == "True") {
        layer.directions = 2;
        layer.layers = std::max(layer.layers / 2, 1);
    }
    const auto nonlinearity = layer.settings.find("nonlinearity");
    if (layer.kind == LayerKind::rnn && nonlinearity != layer.settings.end())
        layer.kind = nonlinearity->second == "relu" ? LayerKind::rnn_relu : LayerKind::rnn_tanh;
}

std::string dtype_of_storage(std::string_view storage) {
    constexpr std::pair<std::string_view, const char*> types[] = {
        {"FloatStorage", "float32"},     {"HalfStorage", "float16"}, {"DoubleStorage", "float64"},
        {"BFloat16Storage", "bfloat16"}, {"CharStorage", "int8"},    {"QInt8Storage", "qint8"}};
    const auto* known = find_by(types, &std::pair<std::string_view, const char*>::first, storage);
    return known ? known->second : std::string(storage);
}

/// Walks what a pickle describes and collects tensors and recurrent modules with their names.
class Checkpoint {
  public:
    explicit Checkpoint(const Pickle& pickle) : pickle_(pickle) { visit(pickle.root(), "", "", false, 0); }

    std::vector<Tensor> tensors;
    ModuleSettings modules;
    std::optional<std::string> lightning;

  private:
    static constexpr int deepest = 200;
    static constexpr std::string_view packed_weights = "._all_weight_values.";

    void visit(const PickleNode& node, const std::string& container, const std::string& name, bool in_module,
               int depth) {
        if (depth > deepest || (node.kind != Kind::dictionary && node.kind != Kind::object)) return;
        if (const auto tensor = tensor_of(node, depth)) {
            tensors.push_back({container, name, tensor->shape, tensor->dtype});
            return;
        }
        if (!seen_.insert(&node).second) return;
        const PickleNode* const maker = pickle_.maker(node);
        if (maker && maker->text != "OrderedDict") in_module = true;
        if (maker) note_module(node, *maker, name);
        if (depth == 0) lightning = pickle_.word(node, "pytorch-lightning_version");
        each_pair(node, [&](std::string_view key, const PickleNode& value) {
            const bool structure = key == "_modules" || key == "_parameters" || key == "_buffers";
            const std::string inner = structure      ? name
                                      : name.empty() ? std::string(key)
                                                     : name + "." + std::string(key);
            const bool leaf = tensor_of(value, depth).has_value();
            if (contains(inner, packed_weights)) return add_packed(container, inner, value);
            if (in_module || leaf)
                visit(value, container, inner, in_module, depth + 1);
            else
                visit(value, inside(container, key), "", false, depth + 1);
        });
    }

    /// A dynamically quantized layer keeps its weights in objects: rnn._all_weight_values.0.param, one for each layer
    /// and direction, with the matrices of inputs and of states.
    void add_packed(const std::string& container, const std::string& name, const PickleNode& value) {
        std::vector<Tensor> matrices;
        collect_matrices(value, matrices, 0);
        const auto at = name.find(packed_weights);
        const std::string module = name.substr(0, at) + ".";
        const auto number = leading_number(std::string_view(name).substr(at + packed_weights.size()));
        if (matrices.size() < 2 || !number) return;
        tensors.push_back({container, module + "weight_ih_l" + std::to_string(*number), matrices[0].shape, "qint8"});
        tensors.push_back({container, module + "weight_hh_l" + std::to_string(*number), matrices[1].shape, "qint8"});
        modules[name.substr(0, at)]["quantized"] = "dynamic";
    }

    void collect_matrices(const PickleNode& node, std::vector<Tensor>& into, int depth) const {
        if (depth > deepest || into.size() >= 2) return;
        if (auto tensor = tensor_of(node, depth)) {
            if (tensor->shape.size() == 2) into.push_back(std::move(*tensor));
            return;
        }
        for (const auto* children : {&node.items, &node.pairs})
            for (const std::size_t child : *children) collect_matrices(pickle_[child], into, depth + 1);
    }

    static std::string inside(const std::string& container, std::string_view key) {
        return container.empty() ? std::string(key) : container + "." + std::string(key);
    }

    template <class Use>
    void each_pair(const PickleNode& node, Use&& use) const {
        const auto pairs = [&](const std::vector<std::size_t>& items) {
            for (std::size_t i = 0; i + 1 < items.size(); i += 2)
                if (pickle_[items[i]].kind == Kind::text) use(pickle_[items[i]].text, pickle_[items[i + 1]]);
        };
        if (node.kind == Kind::dictionary) return pairs(node.items);
        pairs(node.pairs);
        if (node.items.size() > 2 && pickle_[node.items.back()].kind == Kind::dictionary)
            pairs(pickle_[node.items.back()].items);
    }

    void note_module(const PickleNode& node, const PickleNode& maker, const std::string& name) {
        if (!contains(maker.module, "modules.rnn")) return;
        TextMap& settings = modules[name];
        for (const char* setting : {"nonlinearity", "dropout", "batch_first", "bidirectional"})
            if (const auto word = pickle_.word(node, setting)) settings[setting] = *word;
        const std::string mode = pickle_.word(node, "mode").value_or("");
        if (mode == "RNN_TANH" || mode == "RNN_RELU") settings["nonlinearity"] = lower(mode.substr(4));
    }

    /// torch/_utils.py: _rebuild_tensor_v2(storage, offset, size, ...), _rebuild_parameter(tensor, ...).
    std::optional<Tensor> tensor_of(const PickleNode& node, int depth) const {
        const PickleNode* const maker = pickle_.maker(node);
        if (!maker || node.items.size() < 2 || !maker->text.starts_with("_rebuild_") || depth > deepest)
            return std::nullopt;
        const auto& arguments = pickle_[node.items[1]].items;
        if (maker->text.starts_with("_rebuild_parameter"))
            return arguments.empty() ? std::nullopt : tensor_of(pickle_[arguments[0]], depth + 1);
        if (arguments.size() < 3) return std::nullopt;
        Tensor tensor;
        for (const std::size_t size : pickle_[arguments[2]].items) tensor.shape.push_back(pickle_[size].number);
        tensor.dtype = dtype_of(arguments);
        return tensor;
    }

    std::string dtype_of(const std::vector<std::size_t>& arguments) const {
        if (arguments.size() > 6 && pickle_[arguments[6]].kind == Kind::global)  // _rebuild_tensor_v3
            return std::string(pickle_[arguments[6]].text);
        const PickleNode& storage = pickle_[arguments[0]];
        if (storage.kind != Kind::persistent || storage.items.empty()) return "";
        const auto& id = pickle_[storage.items[0]].items;  // ("storage", type, key, place, elements)
        return id.size() < 2 ? "" : dtype_of_storage(pickle_[id[1]].text);
    }

    const Pickle& pickle_;
    std::set<const PickleNode*> seen_;
};

ModelFile torch_file(const std::string& format, const Checkpoint& checkpoint) {
    if (checkpoint.tensors.empty() && format != "torchscript")
        throw InputError("the pickle holds no weights of PyTorch");
    ModelFile file{format, "pytorch", {}, {}, {}};
    add_torch_layers(checkpoint.tensors, checkpoint.modules, file);
    if (checkpoint.lightning) file.notes.push_back("written by PyTorch Lightning " + *checkpoint.lightning);
    return file;
}

/// The operations of recurrent layers in TorchScript's code.
constexpr std::pair<std::string_view, LayerKind> script_calls[] = {{"torch.lstm(", LayerKind::lstm},
                                                                   {"torch.gru(", LayerKind::gru},
                                                                   {"torch.rnn_tanh(", LayerKind::rnn_tanh},
                                                                   {"torch.rnn_relu(", LayerKind::rnn_relu}};

/// The nonlinearity of plain RNNs, and of a frozen model all that there is, are only in the code.
void add_script_calls(const ZipArchive& archive, ModelFile& file) {
    std::array<std::size_t, std::size(script_calls)> calls{};
    for (const auto& entry : archive.entries()) {
        if (!contains(entry.name, "code/") || !entry.name.ends_with(".py")) continue;
        std::string storage;
        const std::string_view code = archive.content(entry, storage);
        for (std::size_t i = 0; i < calls.size(); ++i)
            for (auto at = code.find(script_calls[i].first); at != std::string_view::npos;
                 at = code.find(script_calls[i].first, at + 1))
                ++calls[i];
    }
    for (ModelLayer& layer : file.layers)
        if (layer.kind == LayerKind::rnn && (calls[2] > 0) != (calls[3] > 0))
            layer.kind = calls[2] > 0 ? LayerKind::rnn_tanh : LayerKind::rnn_relu;
    if (!file.layers.empty()) return;
    for (std::size_t i = 0; i < calls.size(); ++i)
        for (std::size_t call = 0; call < std::min<std::size_t>(calls[i], 100); ++call) {
            ModelLayer layer;
            layer.name = std::string(script_calls[i].first.substr(0, script_calls[i].first.size() - 1));
            layer.kind = script_calls[i].second;
            file.layers.push_back(std::move(layer));
        }
}

/// The numbers of a member of a tensor; InputError where they are none, or beyond `most`.
std::vector<std::int64_t> numbers_in(const Json& about, const char* name, std::uint64_t most) {
    std::vector<std::int64_t> numbers;
    for (const Json& number : member(about, name)) {
        if (!number.is_number_unsigned() || number.get<std::uint64_t>() > most)
            damaged("a tensor's " + std::string(name) + " are not in the file");
        numbers.push_back(number.get<std::int64_t>());
    }
    return numbers;
}

Tensor safetensor(const std::string& name, const Json& about, std::uint64_t most) {
    constexpr std::pair<std::string_view, const char*> types[] = {
        {"F32", "float32"}, {"F16", "float16"}, {"F64", "float64"}, {"BF16", "bfloat16"}, {"I8", "int8"}};
    numbers_in(about, "data_offsets", most);
    Tensor tensor{"", name, numbers_in(about, "shape", most), text_member(about, "dtype")};
    if (const auto* known = find_by(types, &std::pair<std::string_view, const char*>::first, tensor.dtype))
        tensor.dtype = known->second;
    return tensor;
}

/// Format: https://huggingface.co/docs/safetensors/index#format.
std::vector<Tensor> tensors_of_safetensors(std::string_view bytes) {
    constexpr std::uint64_t longest_header = 32 << 20;
    const std::uint64_t length = little(bytes, 0, 8);
    if (length > longest_header) throw InputError("the header is longer than 32 MiB");
    std::vector<Tensor> tensors;
    const Json header = parsed_json(slice(bytes, 8, length), "the header");
    for (const auto& [name, about] : header.items())
        if (name != "__metadata__") tensors.push_back(safetensor(name, about, bytes.size()));
    return tensors;
}

}  // namespace

void add_torch_layers(const std::vector<Tensor>& tensors, const ModuleSettings& modules, ModelFile& into) {
    std::set<std::string> containers;
    std::vector<std::pair<std::string, ModelLayer>> found;
    for (const Module& module : modules_of(tensors)) {
        auto layer = layer_of(module);
        if (!layer) continue;
        if (const auto known = modules.find(module.name); known != modules.end()) add_settings(*layer, known->second);
        containers.insert(module.container);
        found.emplace_back(module.container, std::move(*layer));
    }
    for (auto& [container, layer] : found) {
        if (containers.size() > 1 && !container.empty()) layer.name = container + "." + layer.name;
        into.layers.push_back(std::move(layer));
    }
}

ModelFile read_torch_zip(const ZipArchive& archive) {
    std::string storage;
    const ZipArchive::Entry* const data = archive.find("data.pkl");
    const bool script = archive.find("constants.pkl") != nullptr;
    ModelFile file =
        torch_file(script ? "torchscript" : "torch_zip", Checkpoint(Pickle(archive.content(*data, storage))));
    if (script) add_script_calls(archive, file);
    return file;
}

ModelFile read_torch_pickle(std::string_view bytes) {
    const Pickle first(bytes);
    // torch/serialization.py, _legacy_save: magic number, protocol, system, then what was saved.
    constexpr int before = 3;
    std::uint64_t at = 0;
    if (first.root().kind != Kind::whole) return torch_file("torch_legacy", Checkpoint(first));
    for (int i = 0; i < before; ++i) at = Pickle(bytes, at).end();
    return torch_file("torch_legacy", Checkpoint(Pickle(bytes, at)));
}

ModelFile read_safetensors(std::string_view bytes) {
    ModelFile file{"safetensors", "pytorch", {}, {}, {}};
    add_torch_layers(tensors_of_safetensors(bytes), {}, file);
    return file;
}

ModelFile read_safetensors_index(const Json& index, const std::string& directory) {
    ModelFile file{"safetensors", "pytorch", {}, {}, {}};
    std::set<std::string> shards;
    for (const Json& shard : member(index, "weight_map"))
        if (shard.is_string()) shards.insert(shard.get<std::string>());
    std::vector<Tensor> tensors;
    for (const std::string& shard : shards) {
        if (contains(shard, "/") || shard.empty()) throw InputError("the index names a file outside its directory");
        try {
            append(tensors, tensors_of_safetensors(MappedFile(directory + "/" + shard).bytes()));
        } catch (const InputError& error) {
            throw InputError("'" + shard + "', which the index names: " + error.what());
        }
    }
    add_torch_layers(tensors, {}, file);
    return file;
}

}  // namespace rnncheck::model
