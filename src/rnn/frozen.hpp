// A few small networks whose outputs and gradients another program computed, to hold the reference
// against wherever the program runs: another compiler, processor or mathematics library could make
// it compute something else.
#pragma once

#include <span>

#include "rnn/network.hpp"

namespace rnncheck {

/// `sum` is weighted_sum of PyTorch's results for frozen_inputs(rnn_case, number); tests/rnn/frozen
/// shows how they were made and holds every number of 101 such cases against the reference.
struct FrozenCase {
    RnnCase rnn_case;
    long number;
    double sum;
};

std::span<const FrozenCase> frozen_cases();

/// Inputs by a formula of small fractions that fp64 holds exactly, in the shapes of make_inputs.
RnnInputs frozen_inputs(const RnnCase& rnn_case, long number);

/// All outputs and gradients in one number, each with a weight of its own, so that an exchange
/// shows too.
double weighted_sum(const RnnCase& rnn_case, const RnnOutputs& outputs);

/// Largest difference between the reference and the frozen cases; rounding alone makes less than
/// frozen_limit.
double largest_frozen_difference();
inline constexpr double frozen_limit = 1e-9;

}  // namespace rnncheck
