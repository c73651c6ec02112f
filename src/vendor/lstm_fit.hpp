// How much memory a recurrent network takes, by cuDNN's own questions, and whether it runs with that. v8 interface.
#pragma once

#include "vendor/lstm.hpp"

namespace rnncheck::vendor {

/// In bytes. `failed` is the first call that returned an error; the rest is then 0.
struct Spaces {
    std::optional<CallResult> failed;
    std::size_t weights = 0, work = 0, reserve = 0;  ///< for training weights count twice: their gradients
    std::size_t data = 0;                            ///< inputs, outputs, states and, for training, their gradients

    std::size_t total() const { return weights + work + reserve + data; }
};

/// Allocates nothing.
Spaces spaces_of(const Session& session, const RnnCase& rnn_case);

/// Allocates all of it and runs the case once on zeros; the first call that failed.
std::optional<CallResult> run_on_zeros(const Session& session, const RnnCase& rnn_case);

}  // namespace rnncheck::vendor
