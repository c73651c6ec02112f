// A device that computes recurrent networks and their gradients in the arithmetic of a case: fp32
// sums in some order, TF32 operands, numbers stored in half or bfloat16, approximate sigmoid and
// tanh; and that can be made to do it wrongly. Step by step and sequence by sequence, unlike the
// reference in src/rnn, with which it shares the names of inputs and outputs and no code: a mistake
// in either shows as a difference.
#pragma once

#include "faults.hpp"
#include "rnn/network.hpp"
#include "storage.hpp"

namespace sim {

using rnncheck::Cell;
using rnncheck::LayerWeights;
using rnncheck::RnnCase;

inline std::size_t count(int number) {
    return static_cast<std::size_t>(number);
}

enum class Operands { exact, tf32_nearest, tf32_cut };

/// What a correct device may do.
struct Arithmetic {
    Operands operands = Operands::exact;
    bool half_sums_stored =
        false;                  ///< W x and R h are stored in the data type before they are added
    bool gates_stored = false;  ///< sigmoid and tanh give numbers of the data type
    bool cell_stored = false;   ///< c is kept in the data type between steps
    bool gradients_stored = false;  ///< gradients of gates and states are kept in the data type
    bool dweights_stored =
        false;                ///< gradients of weights are kept in the data type between sequences
    int columns_at_once = 8;  ///< columns summed on their own before they join the total
    double wobble = 0;        ///< largest relative error of sigmoid and tanh
    std::uint64_t seed = 20;  ///< of the wobble
    double dropout = 0;       ///< probability that what passes to the next layer is dropped
    double kept_times = 1;    ///< what is kept is multiplied by this
    std::uint64_t mask = 0;   ///< which of all masks
};

Storage storage_of(rnncheck::Dtype dtype);

/// y is zero in the padding, dx too.
rnncheck::RnnOutputs simulate(
    const rnncheck::RnnCase& rnn_case,
    const rnncheck::RnnInputs& inputs,
    const Arithmetic& arithmetic,
    Fault fault = Fault::none);

}  // namespace sim
