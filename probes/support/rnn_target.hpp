// What the recurrent-network cases run on: one cuDNN's RNN interface on one GPU.
#pragma once

#include "facts/rnn_runs.hpp"
#include "process/probe.hpp"
#include "rnn/compare.hpp"

namespace rnncheck::probes {

struct RnnTarget {
    int gpu = 0;
    Dialect dialect = Dialect::v8;
    std::string library;
};

/// "GPU 0 v8 /usr/lib/libcudnn.so.9", and back.
std::string text_of(const RnnTarget& target);
RnnTarget rnn_target_of(const std::string& text);

/// Those that the request leaves.
std::vector<std::string> wanted_rnn_targets(const Facts& facts);

/// The same without those of which facts.rnn_runs holds every case.
std::vector<std::string> rnn_targets(const Facts& facts);

RnnPlace place_of(const Facts& facts, const RnnTarget& target);
std::vector<RnnCase> cases_of(const Job& job);

/// The record of a case that is yet to run.
RnnRun run_of(const RnnTarget& target, const RnnCase& rnn_case, int step);

/// By step: whether facts.rnn_runs holds it already, from an earlier survey of this machine.
std::vector<bool> done_before(const Facts& facts, const RnnTarget& target, std::size_t steps);

/// What a right result of an fp32 case may show: TF32's rounding, where the GPU has it and neither the case nor
/// NVIDIA_TF32_OVERRIDE forbids it; fast mathematics in persistent kernels. What the GPU can do being unknown, it may.
ReducedPrecision reduced_precision(const Facts& facts, int gpu, const RnnCase& rnn_case);

/// What rnn_forward says of the cases that its process did not survive, or that no process began.
Facts lost_cases(const Job& job, const std::vector<LostStep>& lost_steps);

/// "persist_dynamic fp32": cases of which these agree use the same kernels.
std::string kernels_of(const RnnCase& rnn_case);

}  // namespace rnncheck::probes
