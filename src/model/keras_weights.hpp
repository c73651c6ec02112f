// Recurrent cells of Keras by their weights.
#pragma once

#include "model/arrays.hpp"

namespace rnncheck::model {

/// What the layers CuDNNLSTM and CuDNNGRU compute, without a setting for it.
inline constexpr std::pair<const char*, const char*> fixed_by_cudnn[] = {
    {"activation", "tanh"},
    {"recurrent_activation", "sigmoid"},
    {"use_bias", "True"},
    {"recurrent_dropout", "0"},
    {"reset_after", "True"}};

/// A recurrent cell by its weights, and where they are: "layers/lstm/cell",
/// "model_weights/lstm/lstm/lstm_cell".
struct CellWeights {
    std::string place;
    CellSizes sizes;
    const Tensor *kernel, *recurrent, *bias;
};

/// Every pair of a kernel and a recurrent kernel whose shapes fit each other.
std::vector<CellWeights> cells_of(const Weights& weights);

/// The numbers of a cell, where they are in the file. Of a GRU with
/// reset_after the bias has two rows.
std::optional<DirectionWeights> weights_of(const CellWeights& cell);

}  // namespace rnncheck::model
