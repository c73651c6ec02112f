// Queries of the facts about recurrent networks: the cases to compute, the
// memory they need, the command that runs one again.
#pragma once

#include "facts/facts.hpp"
#include "rnn/speed.hpp"

namespace rnncheck {

/// "1.3 MiB"; "?" where it is not known.
std::string mebibytes(const std::optional<std::int64_t>& bytes);

/// Bytes of the weights, and of their gradients when trained: gates times
/// (input, recurrent matrix and two biases) where cuDNN did not report them.
std::int64_t weights_needed(const RnnRun& run);

/// Least memory of the GPU in bytes that the case needs: data, states, weights
/// and what cuDNN requested; gradients too.
std::int64_t bytes_needed(const RnnRun& run);

/// The case, or what has to be set up before it, found too little memory.
bool ran_out_of_memory(const RnnRun& run);

/// The same, and so little memory was free that this is no fault of the
/// machine. cuDNN's kernels use GPU memory as well.
bool short_of_memory(const RnnRun& run);

/// "error 0.5 where 0.001 is allowed, y[3] of step 2" of an incorrect case.
std::string how_wrong(const RnnRun& run);

/// "needs at least 1.3 MiB of GPU memory (1 MiB free on GPU 0)".
std::string memory_in_words(const RnnRun& run);

/// The case alone on its GPU, cuDNN installation and RNN API; the last two only
/// where there are several: "rnncheck lstm --device 0 --cell lstm ...".
std::string rerun_command(const Facts& facts, const RnnRun& run);

/// All cases that the run's process had to compute, in their order.
std::string rerun_all_command(const Facts& facts, const RnnRun& run);

/// The properties of the machine that decide which cases can be computed there.
RnnPlace rnn_place(const Facts& facts, const RnnTarget& target);

/// What the GPU could do, as far as the driver reported its clocks.
std::optional<Peak> peak_of(const Gpu& gpu);

/// The cases to compute there: the requested sweep, or those of the requested
/// cases that the RNN API can express. The result is the same in parent and child.
std::vector<RnnCase> cases_of(const Facts& facts, const RnnTarget& target);

/// The numbers of these among the requested cases, from 1; empty for a sweep.
std::vector<int> requested_numbers(const Facts& facts, const RnnTarget& target);

}  // namespace rnncheck
