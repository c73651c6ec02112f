// Where a case's numbers begin, for those who make them by the same formula elsewhere.
#pragma once

#include <cstdint>

#include "rnn/network.hpp"

namespace rnncheck {

/// The state before the first stream of numbers; make_inputs draws one stream for each array, in this order: for every
/// pseudo-layer and gate input matrix, recurrent matrix, input bias, recurrent bias, then the projection; x, hx, cx,
/// dy, dhy, dcy; of all these those that the case has.
std::uint64_t key_of(const RnnCase& rnn_case);

}  // namespace rnncheck
