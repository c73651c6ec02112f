// The layers of Keras in a Python program. Which of their arguments decide about
// cuDNN: keras/src/layers/rnn/lstm.py and gru.py, and of Keras 3 their back ends.
#include <algorithm>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "model/program.hpp"

namespace rnncheck::model {

namespace {

struct KerasArgument {
    const char* setting;
    /// what it must be for cuDNN, as it is written in a program; "" of what does not decide
    const char* needed;
    /// in LSTM(units, activation, ...); -1 where it is only given by its name
    int position;
};
/// What decides of a Keras layer.
constexpr KerasArgument keras_arguments[] = {
    {"activation", "\"tanh\"", 1},
    {"recurrent_activation", "\"sigmoid\"", 2},
    {"use_bias", "True", 3},
    {"recurrent_dropout", "0", -1},
    {"unroll", "False", -1},
    {"reset_after", "True", -1},
    {"use_cudnn", "\"auto\"", -1},
    {"dropout", "", -1}};

}  // namespace

/// What is none of these is a ConvLSTM.
LayerKind ProgramLayers::keras_kind(const std::string& name) {
    constexpr std::pair<std::string_view, LayerKind> kinds[] = {
        {"LSTM", LayerKind::lstm},
        {"CuDNNLSTM", LayerKind::lstm},
        {"GRU", LayerKind::gru},
        {"CuDNNGRU", LayerKind::gru},
        {"SimpleRNN", LayerKind::rnn_tanh},
        {"LSTMCell", LayerKind::lstm_cell},
        {"GRUCell", LayerKind::gru_cell},
        {"SimpleRNNCell", LayerKind::rnn_cell},
        {"StackedRNNCells", LayerKind::stacked_cells},
        {"RNN", LayerKind::stacked_cells}};
    const auto* const known = find_by(kinds, &std::pair<std::string_view, LayerKind>::first, name);
    if (!known)
        return LayerKind::conv_lstm;
    return known->second;
}

/// CuDNNLSTM and CuDNNGRU have no arguments that decide: they
/// compute with cuDNN or not at all.
void ProgramLayers::add_keras(const Call& call, const std::string& name, ModelLayer& layer) const {
    layer.settings["framework"] = "keras";
    layer.settings["class"] = name;
    layer.kind = keras_kind(name);
    const char* size = "units";
    if (layer.kind == LayerKind::conv_lstm)
        size = "filters";
    layer.hidden = size_argument(call, size, 0);
    for (const Call& outer : calls_)
        if (last_of(outer.path) == "Bidirectional" && outer.open < call.at && call.at < outer.close)
            layer.directions = 2;
    set_defaults(layer, contains(call.path, "compat.v1.") && !name.starts_with("CuDNN"));
    if (!name.starts_with("CuDNN"))
        read_keras_arguments(call, layer);
    if (!name.starts_with("CuDNN"))
        note_changes(call, layer);
    add_surroundings(call, name, layer);
}

/// Keras' defaults; those of tf.compat.v1 are of Keras 1, whose recurrent activation is
/// hard_sigmoid and whose GRU applies the reset gate before the product: cuDNN has
/// neither.
void ProgramLayers::set_defaults(ModelLayer& layer, bool v1) {
    const char* recurrent = "sigmoid";
    if (v1)
        recurrent = "hard_sigmoid";
    const std::pair<const char*, const char*> defaults[] = {
        {"activation", "tanh"},
        {"recurrent_activation", recurrent},
        {"use_bias", "True"},
        {"recurrent_dropout", "0"},
        {"unroll", "False"},
        {"dropout", "0"},
        {"use_cudnn", "auto"},
        {"reset_after", python_bool(!v1)}};
    for (const auto& [setting, value] : defaults)
        layer.settings[setting] = value;
}

/// A mask, compilation and policy of the whole program: Keras 2 keeps cuDNN for masks
/// that are padded on the right, and XLA has no operator for it.
void ProgramLayers::add_surroundings(
    const Call& call, const std::string& name, ModelLayer& layer) const {
    std::string mask;
    if (!name.starts_with("CuDNN"))
        mask = masks_.before(call);
    if (mask.empty())
        layer.settings["mask"] = "none";
    else if (mask.starts_with("?"))
        set(layer, "mask", std::nullopt, mask);
    else
        set(layer, "mask", mask, mask);
    if (!jit_variable_.empty())
        layer.settings["at run time: jit_compile"] = jit_variable_;
    else if (!jit_.empty())
        layer.settings["jit_compile"] = jit_;
    if (xla_)
        layer.settings["xla"] = "True";
    if (!eager_)
        layer.settings["eager"] = "False";
    layer.dtype = "float32";
    if (!policy_.empty())
        layer.dtype = dtype_of_policy(policy_);
    if (const Argument* const type = find(call, "dtype", 99))
        layer.dtype = literal(type->first, type->last).value_or(*layer.dtype);
    if (backend_.starts_with("?"))
        layer.settings["at run time: backend"] = backend_.substr(1);
    else if (!backend_.empty())
        layer.settings["backend"] = backend_;
    if (legacy_ || call.path.starts_with("tf_keras."))
        layer.settings["legacy"] = "True";
}

/// A value that is not written in the program is decided at run time: `written`
/// is what the program has in its place.
void ProgramLayers::set(
    ModelLayer& layer,
    const std::string& setting,
    const std::optional<std::string>& value,
    const std::string& written) {
    layer.settings.erase(setting);
    if (value)
        layer.settings[setting] = *value;
    else
        layer.settings["at run time: " + setting] = written;
}

/// Arguments that are given, those that cuDNN cannot have, and what a spread dictionary
/// may contain.
void ProgramLayers::read_keras_arguments(const Call& call, ModelLayer& layer) const {
    std::vector<std::pair<const Argument*, const char*>> wrong;
    for (const auto& [setting, needed, position] : keras_arguments) {
        const Argument* const given = find(call, setting, position);
        if (!given)
            continue;
        auto value = literal(given->first, given->last);
        // activation=None is the identity, which Keras stores as "linear".
        if (value == "None" && std::string_view(setting) != "use_cudnn")
            value = "linear";
        set(layer, setting, value, source(given->first, given->last));
        std::string plain = needed;
        std::erase(plain, '"');
        // reset_after is an argument of GRU alone.
        const bool of_gru = std::string(setting) == "reset_after" && layer.kind != LayerKind::gru;
        if (!value || plain.empty() || *value == plain || of_gru ||
            (plain == "auto" && *value == "True"))
            continue;
        wrong.emplace_back(given, needed);
        layer.corrected.emplace_back(setting);
    }
    for (const Argument& spread : call.arguments)
        if (spread.name == "**" || spread.name == "*")
            for (const char* const setting :
                 {"activation", "recurrent_activation", "recurrent_dropout", "unroll", "use_bias"})
                if (!find(call, setting, 99))
                    set(layer,
                        setting,
                        std::nullopt,
                        spread.name + source(spread.first, spread.last));
    if (!wrong.empty())
        layer.settings["changed line"] = changed_line(call, std::move(wrong));
}

/// Only statements at the beginning of a line are seen. A later assignment to what
/// decides counts for every layer that it may be about, whatever is assigned.
void ProgramLayers::read_statements() {
    for (std::size_t i = 0; i + 1 < tokens_.size(); ++i) {
        if (i > 0 && tokens_[i - 1].kind != TokenKind::line_end)
            continue;
        if ((is(i, "def") || is(i, "class")) && indentation(i) == 0)
            definitions_.emplace(tokens_[i + 1].text, source(i, i + 2));
        std::size_t end = i;
        std::string path = dotted(end);
        const bool of_model = last_of(path) == "layers" && is(end, "[") &&
                              is(closing(end) + 1, ".") && is_name(closing(end) + 2);
        if (of_model)
            end = closing(end) + 3;
        std::string setting = last_of(path);
        if (of_model)
            setting = tokens_[end - 1].text;
        if (!is(end, "=") || !decides(setting))
            continue;
        if (of_model || path == setting)
            path.clear();
        else
            path.resize(path.size() - setting.size() - 1);
        if (of_model || !path.empty())
            changes_.push_back({path, setting, source(i, end)});
    }
}

/// Changes of this layer by its name, and of any layer of a model.
void ProgramLayers::note_changes(const Call& call, ModelLayer& layer) const {
    const std::string target = target_of(call);
    for (const Change& change : changes_)
        if (change.of.empty() || change.of == target)
            set(layer, change.setting, std::nullopt, change.text);
}

/// Whether an attribute is one of those that decide about cuDNN.
bool ProgramLayers::decides(const std::string& setting) {
    return std::ranges::any_of(
        keras_arguments, [&](const KerasArgument& one) { return setting == one.setting; });
}

/// In the program's own text, with what is wrong replaced and in one
/// line, so that it can be pasted.
std::string ProgramLayers::changed_line(
    const Call& call, std::vector<std::pair<const Argument*, const char*>> wrong) const {
    std::ranges::sort(wrong, {}, [](const auto& one) { return one.first->first; });
    std::string line;
    std::size_t at = tokens_[call.at].at;
    for (const auto& [argument, needed] : wrong) {
        line += text_.substr(at, tokens_[argument->first].at - at);
        line += needed;
        at = tokens_[argument->last - 1].end;
    }
    line += text_.substr(at, tokens_[call.close].end - at);
    const auto trimmed = [](const std::string& part) { return std::string(trim(part)); };
    return join(mapped(split(line, '\n'), trimmed), " ");
}

}  // namespace rnncheck::model
