// The RNN API of one cuDNN, called without a GPU, and what its files show of how they were built.
#pragma once

#include "facts/libraries.hpp"
#include "files/cudnn_parts.hpp"
#include "vendor/cudnn_abi.hpp"

namespace rnncheck::probes {

using CudnnApi = vendor::Opened<vendor::CudnnApi>;
using loader::FirstCall;

/// Describes a small LSTM and calls the consistency checks of cuDNN's libraries, in the order in which frameworks come
/// to need them. Returns the first call that fails.
std::optional<CallResult> try_rnn_api(const CudnnApi& cudnn, FirstCall first);

/// Those of the files that show something.
std::vector<CudnnFile> builds_of(const std::vector<std::string>& paths);

}  // namespace rnncheck::probes
