// How far outputs may be from what they must be, and how far they are. Pure arithmetic.
#pragma once

#include "rnn/network.hpp"

namespace rnncheck {

/// Arithmetic beyond full single precision in which an fp32 case may be computed where it runs.
struct ReducedPrecision {
    bool tf32_allowed = false;  ///< the GPU has TF32, or it is not known, and neither case nor
                                ///< environment forbids it
    bool tf32_exists = false;   ///< the GPU has it, or it is not known: an error may come from it
    bool fast_math = false;     ///< cuDNN compiles the kernel's functions with --use_fast_math
};

/// Largest error allowed per element, in the shapes of the outputs. docs/numerics.md derives them.
struct Limits {
    struct Kept {
        Precision precision = Precision::full;
        RnnOutputs largest;
    };
    std::vector<Kept> kept;  ///< from the strict to the wide; fp32 alone has more than one
    std::size_t widest =
        0;  ///< the last that is allowed; those behind it can only explain an error

    const RnnOutputs& allowed() const {
        return kept.at(widest).largest;
    }
};

Limits limits_for(
    const RnnCase& rnn_case,
    const RnnInputs& inputs,
    const Computation& computation,
    const ReducedPrecision& reduced,
    int threads = 1);

/// How far outputs are from what they must be. Padding of y must be exactly 0; what is not
/// documented may be anything: the padding of dx, and the states of a sequence of length 0 with
/// their gradients. Where clipping is on, cy counts as clipped: whether it is, is not documented.
struct Comparison {
    bool correct = false;  ///< every element finite, written and within its limit
    double largest_error =
        0;  ///< largest error scaled to `limit`: error / own limit * limit; infinite for NaN
    double limit = 0;                       ///< the largest limit of an element of y
    Precision precision = Precision::full;  ///< of fp32: the first that explains the error
    bool overflow =
        false;          ///< fp16 that is rightly infinite: the number is beyond the type's range
    std::string worst;  ///< if not right, counted from 0: "y of sequence 2, step 3, unit 17: found
                        ///< 0.25, expected 0.5"
};

Comparison compare(
    const RnnCase& rnn_case,
    const RnnOutputs& expected,
    const RnnOutputs& found,
    const Limits& limits);

/// The worse of two runs. `again` is empty where the second was bitwise identical to the first.
Comparison compare(
    const RnnCase& rnn_case,
    const RnnOutputs& expected,
    const RnnOutputs& first,
    const RnnOutputs& again,
    const Limits& limits);

/// An array of the outputs, with what shows the place of its elements.
struct OutputArray {
    enum class Kind { sequences, states, weights };
    const char* name;  ///< "y", "dx", "dW"
    Kind kind;
    std::size_t columns;  ///< of a row
    const std::vector<double>* values;
    std::size_t pseudo_layer = 0;  ///< of weights
    std::string part = {};         ///< of weights: "input gate, input side"
};

/// All arrays of the outputs in a fixed order, those of weights last.
std::vector<OutputArray> arrays_of(const RnnCase& rnn_case, const RnnOutputs& outputs);

/// "y of sequence 2, step 3, unit 17": the words of Comparison::worst.
std::string place_of(const RnnCase& rnn_case, const OutputArray& array, std::size_t index);

}  // namespace rnncheck
