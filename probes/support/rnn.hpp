// Recurrent-network cases: what they run on (one cuDNN's RNN interface on one GPU), and what became of them.
#pragma once

#include "facts/rnn_runs.hpp"
#include "process/probe.hpp"
#include "rnn/compare.hpp"
#include "support/gpu.hpp"
#include "vendor/lstm.hpp"

namespace rnncheck::probes {

/// "GPU 0 v8 /usr/lib/libcudnn.so.9", and back.
std::string text_of(const RnnTarget& target);
RnnTarget rnn_target_of(const std::string& text);

/// Those that the request leaves.
std::vector<std::string> wanted_rnn_targets(const Facts& facts);

/// The same without those of which facts.rnn_runs holds every case.
std::vector<std::string> rnn_targets(const Facts& facts);

std::vector<RnnCase> cases_of(const Job& job);

/// The record of a case that is yet to run.
RnnRun run_of(const RnnTarget& target, const RnnCase& rnn_case, int step);

/// By step: whether facts.rnn_runs holds it already, from an earlier survey of this machine.
std::vector<bool> done_before(const Facts& facts, const RnnTarget& target, std::size_t steps);

/// What a correct result of an fp32 case may show: TF32's rounding, where the GPU has it and neither the case nor
/// NVIDIA_TF32_OVERRIDE forbids it; fast mathematics in persistent kernels. What the GPU can do being unknown, it may.
ReducedPrecision reduced_precision(const Facts& facts, int gpu, const RnnCase& rnn_case);

/// What rnn_forward says of the cases that its process did not survive, or that no process began.
Facts lost_cases(const Job& job, const std::vector<LostStep>& lost_steps);

/// "persist_dynamic fp32": cases of which these agree use the same kernels.
std::string kernels_of(const RnnCase& rnn_case);

/// What a failed call means for its case: not_supported, rejected, out_of_memory or failed. cuDNN 9 sorts its statuses
/// by thousands, so that one added later still lands right; 7 and 8 have numbers below 1000. Other failures of CUDA
/// calls are failures. Sources: cudnn_graph.h of 9 and cudnn.h of 7 and 8, cudnnStatus_t.
RunEnd case_outcome(const CallResult& result);

/// Kinds of case whose numbers an older cuDNN does not know, so that it would call them wrong arguments: bfloat16 and
/// the small-hidden-size algorithm came with 8.1 (HIPIFY's table of cuDNN names).
bool came_after(const RnnCase& rnn_case, const std::optional<Version>& cudnn);

/// One cuDNN made ready to run recurrent networks on one GPU.
vendor::Session open_rnn(const Job& job, ProbeWriter& writer, const RnnTarget& target);

}  // namespace rnncheck::probes
