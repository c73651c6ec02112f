// The cases that were run on the GPUs: how they ended, the memory they found, what they returned. Pure.
#pragma once

#include "rnn/sweep.hpp"
#include "rules/support/cudnn.hpp"

namespace rnncheck::rules {

using Runs = std::vector<const RnnRun*>;

/// All cases of one copy of cuDNN on one GPU.
struct Sweep {
    std::string library;
    int gpu = 0;
    Runs runs;
};

/// In the order run, those of copies that nobody opens left out.
std::vector<Sweep> sweeps(const Facts& facts);
Runs runs_with(const Sweep& sweep, RunEnd end);
/// The answer that kept a case from being computed; null for one that ran, and when it is unknown.
const CallResult* obstacle_of(const RnnRun& run);

/// "GPU 0 (NVIDIA GeForce RTX 3090), cuDNN /usr/lib/libcudnn.so.9".
std::string subject_of(const Facts& facts, const Sweep& sweep);
/// "GPU 0 (NVIDIA GeForce RTX 3090) with cuDNN 9.19.0 at /usr/lib/libcudnn.so.9".
std::string name_of(const Facts& facts, const Sweep& sweep);

/// Number and description of the case, how it went, and its place in the facts.
Evidence evidence_of(const Facts& facts, const RnnRun& run, const std::string& how_it_went);

/// What kept the case from being computed, in words.
std::string answer_of(const RnnRun& run);

/// The first of these cases as evidence, each with how it went.
using HowItWent = std::function<std::string(const RnnRun&)>;
std::vector<Evidence> evidence_of(const Facts& facts, const Runs& runs, const HowItWent& how_it_went);

/// A finding about cases of a sweep, which are its evidence.
Finding about_cases(const Facts& facts, const Sweep& sweep, const Runs& runs, std::string message, Remedy remedy,
                    const HowItWent& how_it_went = answer_of);

/// "3 RNN cases".
std::string count_of(const Runs& runs);
/// "3 RNN cases of 45 failed on GPU 0 (...) with cuDNN 9.19.0 at ..., first 'lstm ...': cudnnRNNForward returned 8".
std::string cases_in_words(const Facts& facts, const Sweep& sweep, const Runs& runs, const std::string& how);

/// The command that shows whether the case is computed correctly now: the case alone where it was asked for by name,
/// else the rule itself.
std::string verify_command(const Facts& facts, const RnnRun& run);

/// Why a case that did not run is no fault of the machine: nobody promises a kernel for it. Nothing where it must run.
std::optional<std::string> not_promised(const Facts& facts, const RnnRun& run);

/// What `describe` says of those cases that must run. Cases that nobody promises are evidence besides, or where there
/// are no others a note: "... failed on ...; this is not a problem of this machine".
Finding about_promised(const Facts& facts, const Sweep& sweep, const Runs& runs, const std::string& how,
                       const std::function<Finding(const Runs&)>& describe);

/// Why no GPU can be judged: none is there, for a known cause, or it is unknown. Nothing when CUDA sees one.
std::optional<Verdict> without_gpu(const Facts& facts);

/// What is left to say when no case is at fault: why none was tried; else a pass for this reason, unless it is unknown
/// why cases that were tried do not show it.
Verdict pass_if_tried(const Facts& facts, const std::string& reason, const std::string& unknown = "");

std::vector<std::string> places_of(const Facts& facts, const Runs& runs);

/// Every failed, refused or skipped case of the copy (on any GPU) tells by which answer.
bool failures_are_known(const Facts& facts, const std::string& library);

/// A test kernel or a recurrent-network case that was not computed because memory ran out.
struct FailedAllocation {
    const CallResult* call = nullptr;  ///< null when it is not known
    const RnnRun* run = nullptr;       ///< null for the test kernel
    std::string place;                 ///< in the facts
};

/// In the order in which they were run on the GPU.
std::vector<FailedAllocation> failed_allocations(const Facts& facts, int gpu);

/// "process 4711 (20000 MiB) and process 4712"; empty when none is seen.
std::string holders_of(const Board& board);

/// Why processes that hold memory may not be seen from here.
std::string why_unseen(const Facts& facts);

}  // namespace rnncheck::rules
