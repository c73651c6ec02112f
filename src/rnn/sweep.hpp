// Which cases to run, and words to write them with.
#pragma once

#include "rnn/framework_choice.hpp"

namespace rnncheck {

/// `quick` is what the doctor runs; each level holds the one before.
RNNCHECK_ENUM(Level, quick, standard, thorough)

/// The cases of a level, in order, each as it is to be run. `number` in a report is index + 1. The quick level holds
/// what PyTorch, TensorFlow and JAX ask for by default at that place. Cases that the interface cannot express are left
/// out.
std::vector<RnnCase> sweep(Level level, const RnnPlace& place);

/// Whether the interface has words for the case.
bool expressible(const RnnCase& rnn_case, const RnnPlace& place);

/// Strict fp32: TF32 came with cuDNN 8, and with it the math type that forbids it, in both interfaces.
MathType exact_math(const RnnPlace& place);

// Small words to write cases with.

inline RnnCase sized(Dtype dtype, MathType math, int input, int hidden, int batch, int steps) {
    return {.dtype = dtype, .math = math, .input = input, .hidden = hidden, .batch = batch, .sequence_length = steps};
}

template <class T>
T type_of(T RnnCase::*);

/// The case with another value of one member.
template <auto member>
RnnCase with(RnnCase rnn_case, decltype(type_of(member)) value) {
    rnn_case.*member = std::move(value);
    return rnn_case;
}
inline constexpr auto with_cell = with<&RnnCase::cell>;
inline constexpr auto with_algorithm = with<&RnnCase::algorithm>;
inline constexpr auto with_layers = with<&RnnCase::layers>;
inline constexpr auto with_projection = with<&RnnCase::projection>;
inline constexpr auto with_clip = with<&RnnCase::clip>;
inline constexpr auto with_bias = with<&RnnCase::bias>;

inline RnnCase with_states(RnnCase rnn_case) {
    rnn_case.states = true;
    return rnn_case;
}

inline RnnCase bidirectional_with_states(RnnCase rnn_case, int layers) {
    rnn_case.direction = Direction::bidirectional;
    rnn_case.layers = layers;
    rnn_case.states = true;
    return rnn_case;
}

inline RnnCase with_lengths(RnnCase rnn_case, Layout layout, std::vector<int> lengths) {
    rnn_case.layout = layout;
    rnn_case.lengths = std::move(lengths);
    return rnn_case;
}

inline RnnCase skipping_input(RnnCase rnn_case) {
    rnn_case.input_mode = InputMode::skip;
    rnn_case.input = rnn_case.hidden;
    return rnn_case;
}

inline RnnCase training(RnnCase rnn_case) {
    rnn_case.training = true;
    return rnn_case;
}

}  // namespace rnncheck
