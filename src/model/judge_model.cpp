// Which rows of the table model_rules hold for a layer, and what each means for
// it: whether the framework computes it with cuDNN, and what to change.
#include "model/judge_model.hpp"

#include <algorithm>

#include "base/lists.hpp"
#include "base/program.hpp"
#include "base/text.hpp"
#include "matrix/model_rows.hpp"
#include "matrix/ranges.hpp"
#include "model/tensor.hpp"
#include "rnn/case.hpp"
#include "rnn/speed.hpp"
#include "rnn/weights.hpp"

namespace rnncheck {

namespace {

/// Lists in the table are words with a blank between them.
bool has_word(const std::string& words, const std::string& word) {
    const std::vector<std::string> list = split(words, ' ');
    return includes(list, word);
}

/// Whose rules hold for the file, and which version's; without one, those of the newest.
struct RuleSet {
    std::string framework;
    std::optional<Version> version;
    /// of ONNX and PyTorch, whose files do not hold it, rules of old versions count too
    bool every_version = false;
};

std::optional<Version> given_version(const GivenOfModel& given, const char* key) {
    const std::string* const text = look_up(given, key);
    if (!text)
        return std::nullopt;
    const auto version = parse_version(*text);
    if (!version)
        throw UsageError(
            "--given " + std::string(key) + "=" + *text + " is not a version such as 2.15");
    return version;
}

/// Of a call in a program, which names the framework, and may name the back end of Keras.
RuleSet rules_for_call(const ModelLayer& layer, const GivenOfModel& given) {
    const auto setting = [&](const char* name) { return look_up(layer.settings, name); };
    const std::string framework = *setting("framework");
    RuleSet rules{framework, given_version(given, framework.c_str()), framework == "pytorch"};
    if (framework != "keras")
        return rules;
    if (!rules.version)
        rules.version = given_version(given, "tensorflow");
    // tf-keras
    if (setting("legacy"))
        rules.version = make_version({2, 15});
    const auto backend = given.find("backend");
    std::string name = "tensorflow";
    if (const std::string* const of_program = setting("backend"))
        name = *of_program;
    if (backend != given.end())
        name = backend->second;
    if (name != "tensorflow")
        rules.framework += "/" + name;
    return rules;
}

RuleSet rules_for(const ModelFile& file, const ModelLayer& layer, const GivenOfModel& given) {
    if (file.framework == "python")
        return rules_for_call(layer, given);
    const auto backend = given.find("backend");
    // A SavedModel's layers too, of which the version is TensorFlow's.
    const bool of_keras = file.framework == "keras" || file.framework == "tensorflow";
    const bool keras = file.framework == "keras" || (of_keras && layer.settings.contains("class"));
    RuleSet rules{
        keras ? "keras" : file.framework,
        find_version(file.version.value_or("")),
        file.framework == "onnx" || file.framework == "pytorch"};
    // The Keras inside TensorFlow 1.13 to 2.1 has the version 2.2.4-tf and in
    // TensorFlow 2 what Keras 2.4 has.
    if (keras && file.version && file.version->ends_with("-tf"))
        rules.version = make_version({2, 4});
    if (layer.settings.contains("custom")) {
        rules.framework += "/custom";
        return rules;
    }
    std::string key = rules.framework;
    if (key == "onnx")
        key = "onnxruntime";
    if (rules.framework == "onnx")
        rules.version.reset();
    if (const auto version = given_version(given, key.c_str()))
        rules.version = version;
    if (keras && !given.contains("keras"))
        if (const auto version = given_version(given, "tensorflow"))
            rules.version = *version < make_version({2, 0}) ? make_version({2, 3}) : *version;
    if (keras && backend != given.end() && backend->second != "tensorflow")
        rules.framework += "/" + backend->second;
    return rules;
}

/// Without a version the newest one is meant: a rule that ended before it
/// counts only where `every_version` is set.
bool applies(const ModelRule& rule, const RuleSet& rules, const ModelLayer& layer) {
    if (!has_word(rule.framework, rules.framework) ||
        !has_word(rule.kinds, std::string(name_of(layer.kind))))
        return false;
    if (!rules.version)
        return !rule.last || rules.every_version;
    return is_between(*rules.version, rule.first, rule.last);
}

/// The type is a member of its own, everything else is a setting under the
/// framework's name.
std::optional<std::string> value_of(const ModelLayer& layer, const std::string& setting) {
    if (setting == "dtype")
        return layer.dtype;
    const std::string* const value = look_up(layer.settings, setting);
    if (!value)
        return std::nullopt;
    return *value;
}

/// What the file does not hold is collected.
void apply(
    const ModelRule& rule,
    bool of_known_version,
    JudgedLayer& layer,
    std::vector<std::string>& needed) {
    if (const std::string* const variable =
            look_up(layer.settings, "at run time: " + rule.setting)) {
        std::vector<std::string> words = split(rule.needed, ' ');
        std::erase(words, "absent");
        layer.cudnn = std::max(layer.cudnn, CudnnUse::depends);
        layer.reasons.push_back(
            rule.setting + " is '" + *variable +
            "', which is known only when the program runs; cuDNN is " + "used only with " +
            join(words, " or "));
        return;
    }
    const auto value = value_of(layer, rule.setting);
    if (!rule.setting.empty() && has_word(rule.needed, lower(value.value_or("absent"))))
        return;
    if (value && has_word(rule.needed, *value))
        return;
    if (!rule.setting.empty() && !value) {
        layer.cudnn = std::max(layer.cudnn, CudnnUse::unknown);
        needed.push_back(rule.setting + " " + join(split(rule.needed, ' '), " or "));
        return;
    }
    const bool depends = rule.last && !of_known_version;
    layer.cpu_only |= rule.verdict == "cpu_only" && !depends;
    CudnnUse use = CudnnUse::depends;
    if (!depends)
        use = from_name<CudnnUse>(rule.verdict).value_or(CudnnUse::no);
    layer.cudnn = std::max(layer.cudnn, use);
    const auto worded = [&](std::string text) {
        replace_all(text, "{value}", value.value_or(""));
        const char* const kind = layer.settings.contains("cell") ? "cell" : "class";
        replace_all(text, "{class}", value_of(layer, kind).value_or("layer"));
        return text;
    };
    layer.reasons.push_back(worded(rule.rule));
    // CuDNNLSTM and CuDNNGRU raise an error if they receive a mask
    // (keras/layers/cudnn_recurrent.py of 2.3.1).
    const bool masked = value_of(layer, "mask").value_or("none") != "none";
    const bool is_in_line = rule.change_is_code && includes(layer.corrected, rule.setting);
    if (!rule.change.empty() && !is_in_line && !(masked && contains(rule.change, "CuDNN{class}")))
        layer.add_change(worded(rule.change), rule.change_is_code);
    add_once(layer.sources, rule.source.url);
}

/// Kernels per step without cuDNN.
double launches_of(Cell cell) {
    if (cell == Cell::lstm)
        return 20;
    if (cell == Cell::gru)
        return 23;
    return 11;
}

/// A loop launches each operation of a step alone; docs/speed.md
/// counts them and names the GPU.
double speedup(const RnnCase& network) {
    constexpr Peak nominal{10e12, 0.3e12, 500e9};
    constexpr double launch_ms = 0.005;
    constexpr double with_cudnn = 4;
    const double launches = launches_of(network.cell);
    const double with = model_ms(network, nominal);
    return 1 + (launches - with_cudnn) * launch_ms * network.sequence_length *
                   network.pseudo_layers() / with;
}

/// Per element: what a step of cuDNN keeps for its gradients, and what it needs
/// while it runs (docs/speed.md).
ModelMemory memory_of(const RnnCase& network) {
    const double gates = gates_of(network.cell), hidden = network.hidden, batch = network.batch;
    const double rows = batch * network.sequence_length, places = network.pseudo_layers();
    const bool lstm = network.cell == Cell::lstm;
    const auto bytes = [&](double elements) {
        return static_cast<std::int64_t>(
            std::min(elements * static_cast<double>(bytes_of(network.dtype)), 9e18));
    };
    ModelMemory memory;
    double states = 2, kept = 1;
    if (lstm)
        states = 4;
    if (lstm || network.cell == Cell::gru)
        kept = 2;
    memory.weights = bytes(static_cast<double>(weights_in(network)));
    memory.data = bytes(
        rows * (double{1} * network.input + network.width()) + states * places * batch * hidden);
    memory.workspace = bytes(rows * gates * hidden * network.directions());
    memory.reserve = bytes(rows * places * (gates + kept) * hidden);
    return memory;
}

/// The layer as a case, whether or not cuDNN can compute one of its size.
std::optional<RnnCase> case_of_any_size(const ModelLayer& layer, const ModelSizes& sizes) {
    constexpr std::pair<LayerKind, Cell> cells[] = {
        {LayerKind::lstm, Cell::lstm},
        {LayerKind::gru, Cell::gru},
        {LayerKind::rnn_tanh, Cell::tanh},
        {LayerKind::rnn_relu, Cell::relu},
        {LayerKind::rnn, Cell::tanh},
        {LayerKind::lstm_cell, Cell::lstm},
        {LayerKind::gru_cell, Cell::gru}};
    const auto* const cell = find_by(cells, &std::pair<LayerKind, Cell>::first, layer.kind);
    if (!cell || !layer.input || !layer.hidden)
        return std::nullopt;
    const auto* const dtype =
        find_by(model::dtype_names, &model::DtypeNames::name, layer.dtype.value_or(""));
    RnnCase network{
        .cell = cell->second,
        .dtype = Dtype::fp32,
        .layers = layer.layers,
        .input = *layer.input,
        .hidden = *layer.hidden,
        .batch = sizes.batch.value_or(32),
        .sequence_length = sizes.length.value_or(100)};
    if (dtype)
        network.dtype = dtype->real.value_or(Dtype::fp32);
    if (layer.directions == 2)
        network.direction = Direction::bidirectional;
    if (const auto projection = value_of(layer, "proj_size"))
        network.projection = number_from(*projection).value_or(0);
    if (network.projection < 0)
        return std::nullopt;
    return network;
}

/// No other change of the model helps then.
void apply_size_limit(const std::string& why, const Matrix& matrix, JudgedLayer& layer) {
    if (layer.cudnn == CudnnUse::no && layer.changes.empty())
        return;
    layer.cudnn = CudnnUse::no;
    layer.reasons.push_back(why);
    layer.changes.clear();
    layer.changes_are_code.clear();
    layer.add_change(
        "reduce the sizes or the number of layers; otherwise disable cuDNN for this layer", false);
    if (const auto row = matrix.rnn_limit("matrix_weights"))
        add_once(layer.sources, row->source.url);
}

}  // namespace

void JudgedLayer::add_change(const std::string& change, bool is_code) {
    if (includes(changes, change))
        return;
    changes.push_back(change);
    changes_are_code.push_back(is_code);
}

std::optional<std::string> too_large_for_cudnn(const ModelLayer& layer) {
    const auto network = case_of_any_size(layer, {});
    if (!network)
        return std::nullopt;
    return too_many_weights(*network);
}

std::optional<RnnCase> case_of(const ModelLayer& layer, const ModelSizes& sizes) {
    if (too_large_for_cudnn(layer))
        return std::nullopt;
    return case_of_any_size(layer, sizes);
}

std::optional<FrameworkChoice> choice_of(
    const std::string& framework, RnnCase network, const RnnPlace& place) {
    if (framework == "pytorch")
        return pytorch_choice(network, place);
    // Keras' default
    network.layout = Layout::batch_major;
    if (framework == "onnx")
        return std::nullopt;
    return tensorflow_choice(network, place);
}

std::int64_t weights_in(const RnnCase& network) {
    return gate_weights(network) +
           std::int64_t{network.projection} * network.hidden * network.pseudo_layers();
}

/// Each rule that applies adds its reason; the least favourable of all decides.
std::vector<JudgedLayer> judged_layers(
    const ModelFile& file,
    const GivenOfModel& given,
    const ModelSizes& sizes,
    const Matrix& matrix) {
    std::vector<JudgedLayer> judged;
    for (const ModelLayer& layer : file.layers) {
        const RuleSet rules = rules_for(file, layer, given);
        JudgedLayer result{layer};
        result.cudnn = CudnnUse::yes;
        result.weights.reset();
        std::vector<std::string> needed;
        // JAX makes float64 arrays float32 unless the program sets
        // jax_enable_x64, which no model's file shows.
        if (rules.framework == "keras/jax" && layer.dtype == "float64")
            result.settings["float64"] = "True";
        for (const ModelRule& rule : matrix.model_rules())
            if (applies(rule, rules, layer))
                apply(rule, rules.version.has_value(), result, needed);
        // Keras calls PyTorch's layer, whose types are those of PyTorch's version.
        const RuleSet below{"pytorch", given_version(given, "pytorch"), true};
        if (rules.framework == "keras/torch" && layer.dtype)
            for (const ModelRule& rule : matrix.model_rules())
                if (rule.setting == "dtype" && applies(rule, below, layer))
                    apply(rule, below.version.has_value(), result, needed);
        if (!needed.empty() && result.cudnn != CudnnUse::no) {
            const std::string settings = needed.size() > 1 ? "these settings" : "this setting";
            result.reasons.push_back(
                "cuDNN is used only with " + join_with_and(needed) +
                "; the file does not contain " + settings);
        }
        if (const auto why = too_large_for_cudnn(layer))
            apply_size_limit(*why, matrix, result);
        const std::string* const line = look_up(layer.settings, "changed line");
        if (line && result.cudnn == CudnnUse::no) {
            result.changes.insert(result.changes.begin(), layer.name + ": " + *line);
            result.changes_are_code.insert(result.changes_are_code.begin(), true);
        }
        const auto network = case_of(layer, sizes);
        const bool in_a_loop =
            rules.framework.starts_with("keras") || rules.framework == "tensorflow";
        if (network && in_a_loop && result.cudnn == CudnnUse::no && !result.changes.empty())
            result.modeled_speedup = speedup(*network);
        if (network && sizes.batch && sizes.length)
            result.memory = memory_of(*network);
        judged.push_back(std::move(result));
    }
    return judged;
}

JudgedModel judged_model(
    const std::string& path,
    const ModelFile& file,
    const GivenOfModel& given,
    const ModelSizes& sizes,
    const Matrix& matrix) {
    JudgedModel judged{
        path,
        file.format,
        file.framework,
        file.version,
        file.notes,
        file.unclear,
        judged_layers(file, given, sizes, matrix)};
    const auto version = find_version(file.version.value_or(""));
    const bool of_program = std::ranges::any_of(file.layers, [](const ModelLayer& layer) {
        const std::string* const framework = look_up(layer.settings, "framework");
        return framework && *framework == "keras" && !layer.settings.contains("backend");
    });
    const bool other_backends =
        file.framework == "keras" && (!version || *version >= make_version({3}));
    if ((of_program || other_backends) && !given.contains("backend") && !judged.layers.empty())
        judged.notes.emplace_back(
            "judged for the backend TensorFlow: the file does not contain the backend; for others: "
            "--given "
            "backend=torch, --given backend=jax");
    return judged;
}

}  // namespace rnncheck
