// Weights of Keras alone: the layers of Keras 1 by their names, and names of layers that are not
// known.
#include <re2/re2.h>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "model/readers.hpp"

namespace rnncheck::model {

using re2::RE2;

/// Keras 1 has a matrix for each gate: lstm_1/lstm_1_W_i [input][hidden], lstm_1/lstm_1_U_i
/// [hidden][hidden].
void add_keras_1_layers(const Weights& weights, ModelFile& into) {
    static const RE2 form("(.*?)_U(?:_([a-z]))?(:0)?", RE2::Latin1);
    for (const auto& [path, state] : weights) {
        std::string place, gate, end;
        if (!RE2::FullMatch(path, form, &place, &gate, &end) || state.shape.size() != 2 ||
            state.shape[0] != state.shape[1])
            continue;
        if (!gate.empty() && gate != "i" && gate != "z")
            continue;
        const Tensor* const input =
            look_up(weights, place + "_W" + (gate.empty() ? "" : "_" + gate) + end);
        if (!input || input->shape.size() != 2 || input->shape[1] != state.shape[1])
            continue;
        ModelLayer layer;
        layer.name = place.substr(place.rfind('/') + 1);
        layer.kind = gate.empty() ? LayerKind::rnn : gate == "i" ? LayerKind::lstm : LayerKind::gru;
        layer.input = size_from(input->shape[0]);
        layer.hidden = size_from(state.shape[0]);
        if (!state.dtype.empty())
            layer.dtype = state.dtype;
        layer.settings["class"] = gate.empty() ? "SimpleRNN" : gate == "i" ? "LSTM" : "GRU";
        layer.settings["use_bias"] = "True";
        into.layers.push_back(std::move(layer));
        if (!into.version)
            into.version = "1.0";
    }
}

/// Weights named after a recurrent layer that is not among those found.
void note_unknown_weights(const Weights& weights, ModelFile& into) {
    static const RE2 named("(?i)(?:^|[/_])(?:bi|conv)?(?:lstm|gru|rnn)(?:[/_0-9]|$)", RE2::Latin1);
    if (!into.layers.empty())
        return;
    for (const auto& [path, tensor] : weights)
        if (tensor.shape.size() >= 2 && RE2::PartialMatch(path, named))
            return add_once(into.unclear, "weights are named after a recurrent layer (" + path +
                                              "), but their shapes are those of no known one");
}

}  // namespace rnncheck::model
