// What a failed call of a recurrent-network case means.
#pragma once

#include "facts/rnn.hpp"

namespace rnncheck::probes {

/// not_offered, refused, out_of_memory or failed. cuDNN 9 sorts its statuses by thousands, so that one added later
/// still lands right; 7 and 8 have numbers below 1000. Other failures of CUDA calls are failures. Sources:
/// cudnn_graph.h of 9 and cudnn.h of 7 and 8, cudnnStatus_t.
RunEnd end_of_failed_call(const CallResult& result);

/// Kinds of case whose numbers an older cuDNN does not know, so that it would call them wrong arguments: bfloat16 and
/// the small-hidden-size algorithm came with 8.1 (HIPIFY's table of cuDNN names).
bool came_after(const RnnCase& rnn_case, const std::optional<Version>& cudnn);

}  // namespace rnncheck::probes
