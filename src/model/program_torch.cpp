// The layers of PyTorch in a Python program. cuDNN depends on little of them: the
// device, the type, and torch.backends.cudnn.enabled.
#include <re2/re2.h>

#include <algorithm>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "model/program.hpp"

namespace rnncheck::model {

LayerKind ProgramLayers::torch_kind(const std::string& name) {
    constexpr std::pair<std::string_view, LayerKind> kinds[] = {
        {"LSTM", LayerKind::lstm},
        {"GRU", LayerKind::gru},
        {"RNN", LayerKind::rnn_tanh},
        {"LSTMCell", LayerKind::lstm_cell},
        {"GRUCell", LayerKind::gru_cell},
        {"RNNCell", LayerKind::rnn_cell}};
    const auto* const known = find_by(kinds, &std::pair<std::string_view, LayerKind>::first, name);
    if (!known)
        return LayerKind::cell;
    return known->second;
}

/// Else the default of the program, torch.set_default_dtype or a .half() of the model.
/// torch.float16 and what a name is bound to have one reading; other expressions are
/// decided at run time.
void ProgramLayers::set_torch_type(const Call& call, ModelLayer& layer) const {
    layer.dtype = torch_dtype_;
    if (torch_dtype_.empty())
        layer.dtype = "float32";
    const Argument* type = find(call, "dtype", 99);
    if (!type)
        return;
    std::pair<std::size_t, std::size_t> written{type->first, type->last};
    const Function* const function = function_around(type->first);
    const std::string name = source(written.first, written.second);
    if (function && includes(function->parameters, name))
        if (const auto given = given_for(*function, name))
            written = *given;
    const std::string text = source(written.first, written.second);
    if (text == "None")
        return;
    layer.dtype = last_of(text);
    static const re2::RE2 known("float(?:16|32|64)?|half|double|bfloat16");
    if (re2::RE2::FullMatch(*layer.dtype, known))
        return;
    layer.settings["at run time: dtype"] = text;
    layer.dtype.reset();
}

/// A program that neither moves its model nor trains may be used by another one that
/// does: it is judged for the GPU. One that trains or calls its model without moving it
/// computes on the processor, unless a trainer of Lightning's kind moves it.
void ProgramLayers::add_torch(const Call& call, const std::string& name, ModelLayer& layer) const {
    layer.settings["framework"] = "pytorch";
    layer.kind = torch_kind(name);
    layer.input = size_argument(call, "input_size", 0);
    layer.hidden = size_argument(call, "hidden_size", 1);
    layer.layers = std::max(size_argument(call, "num_layers", 2).value_or(1), 1);
    if (const Argument* const two = find(call, "bidirectional", 6))
        layer.directions = directions_of(literal(two->first, two->last) == "True");
    set_torch_type(call, layer);
    if (layer.dtype == "half")
        layer.dtype = "float16";
    if (layer.dtype == "float")
        layer.dtype = "float32";
    if (layer.dtype == "double")
        layer.dtype = "float64";
    if (cudnn_off_)
        layer.settings["cudnn_enabled"] = "False";
    if (!cudnn_variable_.empty())
        layer.settings["at run time: cudnn_enabled"] = cudnn_variable_;
    else if (!cudnn_off_)
        layer.settings["cudnn_enabled"] = "True";
    layer.settings["device"] = "gpu";
    const bool own = find(call, "device", 99) != nullptr;
    if ((on_gpu_ || own) && !moved_back_.empty()) {
        layer.settings.erase("device");
        layer.settings["at run time: device"] = moved_back_;
    }
    if (on_gpu_ || own)
        return;
    if (!device_variable_.empty()) {
        layer.settings.erase("device");
        layer.settings["at run time: device"] = device_variable_;
    } else if (on_cpu_ || ((trains_ || runs_itself()) && !other_trainer_)) {
        layer.settings["device"] = "cpu";
    }
    if (quantized_)
        layer.settings["quantized_copy"] = "dynamic";
}

}  // namespace rnncheck::model
