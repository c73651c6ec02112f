// Cases of recurrent networks: their targets (one RNN API of one cuDNN on one GPU), and how
// they ended.
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

/// All targets that the request allows.
std::vector<std::string> wanted_rnn_targets(const Facts& facts);

/// The same without targets whose cases are all in facts.rnn_runs already.
std::vector<std::string> rnn_targets(const Facts& facts);

std::vector<RnnCase> cases_of(const Job& job);

/// The record of a case that is yet to run.
RnnRun run_of(const RnnTarget& target, const RnnCase& rnn_case, int step);

/// For each step, whether facts.rnn_runs already contains it, from an
/// earlier survey of this machine.
std::vector<bool> done_before(const Facts& facts, const RnnTarget& target, std::size_t steps);

/// What a correct result of an fp32 case may show: TF32's rounding, where the GPU
/// has it and neither the case nor NVIDIA_TF32_OVERRIDE forbids it; fast mathematics
/// in persistent kernels. If the GPU's capability is unknown, it may show TF32.
ReducedPrecision reduced_precision(const Facts& facts, int gpu, const RnnCase& rnn_case);

/// The records of the cases during which the process of rnn_forward
/// ended, or that no process began.
Facts lost_cases(const Job& job, const std::vector<LostStep>& lost_steps);

/// "persist_dynamic fp32": cases of which these agree use the same kernels.
std::string kernels_of(const RnnCase& rnn_case);

/// What a failed call means for its case: not_supported, rejected,
/// out_of_memory or failed. cuDNN 9 sorts its statuses by thousands, so that
/// one added later is still sorted correctly; 7 and 8 have numbers below 1000.
/// Other failures of CUDA calls are failures. Sources: cudnn_graph.h of 9 and
/// cudnn.h of 7 and 8, cudnnStatus_t.
RunEnd case_outcome(const CallResult& result);

/// Whether the case needs a newer cuDNN than this one, which would reject it as
/// an invalid argument: bfloat16 and the small-hidden-size algorithm came with
/// 8.1 (HIPIFY's table of cuDNN names).
bool came_after(const RnnCase& rnn_case, const std::optional<Version>& cudnn);

/// Opens one cuDNN to run recurrent networks on one GPU.
vendor::Session open_rnn(const Job& job, ProbeWriter& writer, const RnnTarget& target);

}  // namespace rnncheck::probes
