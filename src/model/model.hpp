// What a model's file holds of its recurrent layers, in the framework's own words:
// the result of every reader in src/model, and what the rules about models judge.
#pragma once

#include "base/fields.hpp"

namespace rnncheck {

/// `rnn` is a plain RNN whose file does not hold the nonlinearity; `cell` one
/// that the framework does not know.
RNNCHECK_ENUM(
    LayerKind,
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
    cell)

/// A recurrent layer, or cells that compute one step by step.
struct ModelLayer {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(
        std::string,
        name,
        "as the framework stores it, below the models that contain it: encoder/lstm_1");
    RNNCHECK_FIELD(
        LayerKind,
        kind,
        "kind of layer; rnn if the file does not contain the nonlinearity") = LayerKind::cell;
    RNNCHECK_FIELD(
        std::optional<int>, input, "input size; missing if the file does not contain it") = {};
    RNNCHECK_FIELD(std::optional<int>, hidden, "hidden size") = {};
    RNNCHECK_FIELD(int, layers, "number of layers") = 1;
    RNNCHECK_FIELD(int, directions, "1 or 2") = 1;
    RNNCHECK_FIELD(
        std::optional<std::string>,
        dtype,
        "type that it computes in, as the framework names it: float32, mixed_float16") = {};
    /// "activation": "tanh"; what the file does not hold is missing.
    RNNCHECK_FIELD(TextMap, settings, "its other properties, as the framework names them") = {};
    RNNCHECK_FIELD(
        std::vector<std::string>,
        corrected,
        "of a program: the settings that the line 'changed line' among the settings corrects") = {};
    RNNCHECK_FIELDS_END
    /// Where they were wanted and are in the file: every number, in the order of use_weights().
    std::optional<std::vector<double>> weights = {};
};

/// Of one file, or of the files of a directory.
struct ModelFile {
    RNNCHECK_FIELDS
    /// "keras", "h5", "onnx"
    RNNCHECK_FIELD(std::string, format, "of the file");
    /// "keras", "pytorch", "onnx"
    RNNCHECK_FIELD(std::string, framework, "the framework that the file is for");
    RNNCHECK_FIELD(
        std::optional<std::string>,
        version,
        "its version; missing if the file does not contain it") = {};
    RNNCHECK_FIELD(
        std::vector<ModelLayer>, layers, "its recurrent layers, in the file's order") = {};
    /// And what holds for all layers: which program wrote the file.
    RNNCHECK_FIELD(std::vector<std::string>, notes, "what could not be read") = {};
    RNNCHECK_FIELD(
        std::vector<std::string>,
        unclear,
        "why it may have recurrent layers that are not listed; empty if it was read whole") = {};
    RNNCHECK_FIELDS_END
    /// How many numbers of the layers' weights may still be read. It is counted down, so
    /// that a file of many layers cannot fill the memory.
    std::size_t weights_wanted = 0;
};

/// Reads headers and descriptions and at most as many weights as are wanted;
/// nothing of the file is executed. `path` is a file or the directory of a
/// SavedModel. InputError where it is no model, or damaged. For a process of
/// its own: the file may change or end while it is read.
ModelFile read_model(const std::string& path, std::size_t weights_wanted = 0);

}  // namespace rnncheck
