// What a model's file holds of its recurrent layers, in the framework's own words.
#pragma once

#include "base/fields.hpp"

namespace rnncheck {

/// `rnn` is a plain RNN whose file does not hold the nonlinearity; `cell` one that the framework does not know.
enum class LayerKind {
    lstm,
    gru,
    rnn_tanh,
    rnn_relu,
    rnn,
    lstm_cell,
    gru_cell,
    rnn_cell,
    stacked_cells,
    conv_lstm,
    cell
};
RNNCHECK_ENUM_NAMES(LayerKind, "lstm", "gru", "rnn_tanh", "rnn_relu", "rnn", "lstm_cell", "gru_cell", "rnn_cell",
                    "stacked_cells", "conv_lstm", "cell")

struct ModelLayer {
    std::string name;
    LayerKind kind = LayerKind::cell;
    std::optional<int> input = {}, hidden = {};
    int layers = 1, directions = 1;
    std::optional<std::string> dtype = {};
    TextMap settings = {};                            ///< "activation": "tanh"; what the file does not hold is missing
    std::optional<std::vector<double>> weights = {};  ///< in the order of use_weights(); where they were wanted

    static void fields(auto& self, auto&& visit) {
        visit("name", self.name, "as the framework stores it, below the models that contain it: encoder/lstm_1");
        visit("kind", self.kind, "kind of layer; rnn where the file does not hold the nonlinearity");
        visit("input", self.input, "input size; missing where the file does not hold it");
        visit("hidden", self.hidden, "hidden size");
        visit("layers", self.layers, "number of layers");
        visit("directions", self.directions, "1 or 2");
        visit("dtype", self.dtype, "type that it computes in, as the framework names it: float32, mixed_float16");
        visit("settings", self.settings, "its other properties, as the framework names them");
    }
};

/// Of one file, or of the files of a directory.
struct ModelFile {
    std::string format;     ///< "keras", "h5", "onnx"
    std::string framework;  ///< that wrote it: "keras", "pytorch", "onnx"
    std::optional<std::string> version = {};
    std::vector<ModelLayer> layers = {};
    std::vector<std::string> notes = {};  ///< what could not be read, and what holds for all layers
    std::size_t weights_wanted = 0;       ///< how many numbers of the layers' weights may be read

    static void fields(auto& self, auto&& visit) {
        visit("format", self.format, "of the file");
        visit("framework", self.framework, "the framework that the file is for");
        visit("version", self.version, "its version; missing where the file does not hold it");
        visit("layers", self.layers, "its recurrent layers, in the file's order");
        visit("notes", self.notes, "what could not be read");
    }
};

/// Reads headers and descriptions and at most as many weights as are wanted; nothing of the file is executed. `path` is
/// a file or the directory of a SavedModel. InputError where it is no model, or damaged. For a process of its own: the
/// file may change or end while it is read.
ModelFile read_model(const std::string& path, std::size_t weights_wanted = 0);

}  // namespace rnncheck
