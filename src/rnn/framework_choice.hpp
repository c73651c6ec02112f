// Which cuDNN kernels PyTorch, TensorFlow and JAX request by default, according to their sources.
// Pure.
#pragma once

#include "base/version.hpp"
#include "rnn/case.hpp"

namespace rnncheck {

/// Where networks run: an RNN interface of a cuDNN on a GPU. Unset members are unknown.
struct RnnPlace {
    RnnPlace(RnnApi of = RnnApi::v8) : rnn_api(of) {
    }

    RnnApi rnn_api;
    std::optional<Version> cudnn, capability;
    std::optional<int> multiprocessors;
};

/// What a framework requests from cuDNN.
struct FrameworkChoice {
    Dtype dtype = Dtype::fp32;  ///< what cuDNN computes in
    Algorithm forward = Algorithm::standard, backward = Algorithm::standard;
    MathType math = MathType::standard;
    Layout layout = Layout::sequence_major;
    bool padded =
        false;  ///< padded input and output are switched on, with a length for each sequence
};

/// The request for a network, whose algorithm and math type are ignored, by the named version of
/// the framework or the newest one. Nothing if the framework does not use cuDNN. What is unknown
/// about the place is assumed to be that of a new GPU and a new cuDNN; an unknown number of
/// multiprocessors counts as too small.
std::optional<FrameworkChoice> pytorch_choice(
    const RnnCase& network, const RnnPlace& place, const std::optional<Version>& torch = {});
/// Batch-major or, with the layout sequence_major, Keras' time_major.
std::optional<FrameworkChoice> tensorflow_choice(const RnnCase& network, const RnnPlace& place);
std::optional<FrameworkChoice> jax_choice(const RnnCase& network, const RnnPlace& place);

/// Why no documentation promises a kernel of cuDNN for the case there, in words that follow "for";
/// nothing if it must work. Such a failure is no fault of the machine; incorrect results always
/// are.
std::optional<std::string> why_unsupported(const RnnCase& rnn_case, const RnnPlace& place);

}  // namespace rnncheck
