// Which of cuDNN's kernels PyTorch, TensorFlow and JAX ask for when nobody sets anything, as their sources have it.
// Pure.
#pragma once

#include "base/version.hpp"
#include "rnn/case.hpp"

namespace rnncheck {

/// Where networks run: an RNN interface of a cuDNN on a GPU. What is not set is not known.
struct RnnPlace {
    RnnPlace(Dialect of = Dialect::v8) : dialect(of) {}

    Dialect dialect;
    std::optional<Version> cudnn, capability;
    std::optional<int> multiprocessors;
};

/// What a framework asks cuDNN for.
struct FrameworkChoice {
    Dtype dtype = Dtype::fp32;  ///< what cuDNN computes in
    Algorithm forward = Algorithm::standard, backward = Algorithm::standard;
    MathType math = MathType::standard;
    Layout layout = Layout::sequence_major;
    bool padded = false;  ///< padded input and output are switched on, with a length for each sequence
};

/// For a network, of which algorithm and math type do not count, by the newest version of the framework, or the one
/// named. Nothing where the framework does not use cuDNN. What the place does not tell is taken as of a new GPU and a
/// new cuDNN, but for the number of multiprocessors, which is then too small.
std::optional<FrameworkChoice> pytorch_choice(const RnnCase& network, const RnnPlace& place,
                                              const std::optional<Version>& torch = {});
/// Batch-major or, with the layout sequence_major, Keras' time_major.
std::optional<FrameworkChoice> tensorflow_choice(const RnnCase& network, const RnnPlace& place);
std::optional<FrameworkChoice> jax_choice(const RnnCase& network, const RnnPlace& place);

/// Why nobody promises that cuDNN has a kernel for the case there, in words that follow "for"; nothing where it must
/// work. A failure there is no fault of the machine; wrong numbers are one everywhere.
std::optional<std::string> not_promised(const RnnCase& rnn_case, const RnnPlace& place);

}  // namespace rnncheck
