// How many numbers the matrices of a network have, and whether cuDNN can count them.
#pragma once

#include "rnn/case.hpp"

namespace rnncheck {

/// Numbers in the matrices, those of projections included and biases excluded: what cuDNN counts in
/// 32 bits. A real number, so that no sizes overflow; exact up to 2^53.
double matrix_weights(const RnnCase& rnn_case);

/// Why cuDNN cannot compute a network of these sizes: too many numbers in its matrices; nothing
/// where it can. "its weight matrices have 2147483648 numbers; cuDNN ...".
std::optional<std::string> too_many_weights(const RnnCase& rnn_case);

}  // namespace rnncheck
