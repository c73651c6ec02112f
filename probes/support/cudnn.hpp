// The RNN API of one cuDNN, called without a GPU, and what its files show of
// how they were built.
#pragma once

#include "base/files.hpp"
#include "facts/libraries.hpp"
#include "files/first_call.hpp"
#include "vendor/cudnn_abi.hpp"

namespace rnncheck::probes {

using CudnnApi = vendor::Opened<vendor::CudnnApi>;
using loader::FirstCall;

/// Describes a small LSTM and calls the consistency checks of cuDNN's libraries, in
/// the order in which frameworks come to need them. Returns the first call that fails.
std::optional<CallResult> try_rnn_api(const CudnnApi& cudnn, FirstCall first);

/// The reason for which no function of this cuDNN is to be called: its files
/// show that it would end the process.
std::optional<CallResult> why_not_to_call(const Root& root, const std::string& path);

/// Those of the files that show something.
std::vector<CudnnFile> builds_of(const std::vector<std::string>& paths);

}  // namespace rnncheck::probes
