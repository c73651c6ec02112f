// The cases that were run on the GPUs: how they ended, the memory they found, what they returned.
// Pure.
#pragma once

#include "rnn/sweep.hpp"
#include "rules/support/cudnn.hpp"

namespace rnncheck::rules {

using Runs = std::vector<const RnnRun*>;

/// All cases of one cuDNN installation on one GPU.
struct Sweep {
    std::string library;
    int gpu = 0;
    Runs runs;
};

/// In the order in which they were run, without installations that no program opens.
std::vector<Sweep> sweeps(const Facts& facts);
Runs runs_with(const Sweep& sweep, RunEnd end);
/// It ran to its end, with a correct result or not.
bool was_computed(const RnnRun& run);
/// The failed call because of which a case was not computed; null for one that ran, and if unknown.
const CallResult* obstacle_of(const RnnRun& run);

/// "GPU 0 (NVIDIA GeForce RTX 3090), cuDNN /usr/lib/libcudnn.so.9".
std::string subject_of(const Facts& facts, const Sweep& sweep);
/// "GPU 0 (NVIDIA GeForce RTX 3090) with cuDNN 9.19.0 at /usr/lib/libcudnn.so.9".
std::string name_of(const Facts& facts, const Sweep& sweep);

/// Number and description of the case, its result, and its place in the facts.
Evidence evidence_of(const Facts& facts, const RnnRun& run, const std::string& how_it_went);

/// Why the case was not computed, in words.
std::string outcome_of(const RnnRun& run);

/// The first of these cases as evidence, each with its result.
using HowItWent = std::function<std::string(const RnnRun&)>;
std::vector<Evidence> evidence_of(
    const Facts& facts, const Runs& runs, const HowItWent& how_it_went);

/// A finding about these cases of a sweep, with the cases as its evidence.
Finding about_cases(
    const Facts& facts,
    const Sweep& sweep,
    const Runs& runs,
    std::string message,
    Remedy remedy,
    const HowItWent& how_it_went = outcome_of);

/// The number in words: "3 RNN cases".
std::string count_of(const Runs& runs);
/// "3 RNN cases of 45 failed on GPU 0 (...) with cuDNN 9.19.0 at ..., first 'lstm ...':
/// cudnnRNNForward returned 8".
std::string cases_in_words(
    const Facts& facts, const Sweep& sweep, const Runs& runs, const std::string& how);

/// The command that shows whether the case is computed correctly now: the case alone if it was
/// requested, else the rule itself.
std::string verify_command(const Facts& facts, const RnnRun& run);

/// Why a case that did not run is no fault of the machine: no documentation promises a kernel for
/// it. Nothing if it must run.
std::optional<std::string> why_unsupported(const Facts& facts, const RnnRun& run);

/// The finding of `describe` about those cases that must run. Cases whose support is not documented
/// are added as evidence; if there are no others, the finding is a note: "... failed on ...; this
/// is not a problem of this machine".
Finding finding_for_supported(
    const Facts& facts,
    const Sweep& sweep,
    const Runs& runs,
    const std::string& how,
    const std::function<Finding(const Runs&)>& describe);

/// Why no GPU can be evaluated: there is none, for a known cause, or that is unknown. Nothing if
/// CUDA sees one.
std::optional<Verdict> without_gpu(const Facts& facts);

/// The verdict if no case is at fault: why none was tried, else a pass with this reason, or
/// undecided with `unknown` if the cases that were tried do not show it.
Verdict pass_if_tried(
    const Facts& facts, const std::string& reason, const std::string& unknown = "");

std::vector<std::string> places_of(const Facts& facts, const Runs& runs);

/// For every failed, rejected or skipped case of this cuDNN (on any GPU), the failed call is known.
bool failures_are_known(const Facts& facts, const std::string& library);

/// Hardly any memory of the GPU was free, according to NVML, or to CUDA, which knows of the limits
/// of MIG and MPS.
bool little_was_free(const Facts& facts, int gpu);

/// The test kernel could not be compiled: CUDA_ERROR_JIT_COMPILER_NOT_FOUND, 221 (cuda.h). cuDNN
/// then reports, among other things, that it found no host memory.
bool ptx_compiler_is_missing(const KernelRun& run);

/// The driver loaded the code of the test kernel, whatever happened then.
bool code_was_loaded(const KernelRun& run);

/// A test kernel or a recurrent-network case that was not computed because memory ran out.
struct FailedAllocation {
    const CallResult* call = nullptr;  ///< null when it is not known
    const RnnRun* run = nullptr;       ///< null for the test kernel
    std::string place;                 ///< in the facts
};

/// In the order in which they were run on the GPU.
std::vector<FailedAllocation> failed_allocations(const Facts& facts, int gpu);

/// "process 4711 (20000 MiB) and process 4712"; empty when none is seen.
std::string processes_on(const Board& board);

}  // namespace rnncheck::rules
