// What the facts say about the cases that were run on the GPUs. Pure.
#pragma once

#include "rules/support/cudnn_support.hpp"

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

const Gpu* gpu_at(const Facts& facts, int index);
/// "GPU 0 (NVIDIA GeForce RTX 3090)".
std::string gpu_subject(const Facts& facts, int index);
/// "GPU 0 (NVIDIA GeForce RTX 3090), cuDNN /usr/lib/libcudnn.so.9".
std::string subject_of(const Facts& facts, const Sweep& sweep);
/// "GPU 0 (NVIDIA GeForce RTX 3090) with cuDNN 9.19.0 at /usr/lib/libcudnn.so.9".
std::string name_of(const Facts& facts, const Sweep& sweep);

/// Number and description of the case, how it went, and its place in the facts.
Evidence evidence_of(const Facts& facts, const RnnRun& run, const std::string& how_it_went);

/// The command that shows whether the case is computed correctly now: the case alone where it was asked for by name,
/// else the doctor with this rule.
std::string verify_command(const Facts& facts, const RnnRun& run, const std::string& rule);

/// Why a case that did not run is no fault of the machine: nobody promises a kernel for it. Nothing where it must run.
std::optional<std::string> not_promised(const Facts& facts, const RnnRun& run);

/// Takes such cases out of `runs`, all of one sweep, and tells them as a note: "... failed on ..., which is no fault".
std::optional<Finding> take_not_promised(const Facts& facts, const Sweep& sweep, Runs& runs, const std::string& how);

/// Why no GPU can be judged: none is there, for a known cause, or it is unknown. Nothing when CUDA sees one.
std::optional<Verdict> without_gpu(const Facts& facts);

/// What is left to say when no case is at fault: a pass for this reason when any was tried, else why none was.
Verdict pass_if_tried(const Facts& facts, const std::string& reason);

/// The cause of a failure when another rule tells it, in words; nothing when none does.
std::optional<std::string> explained_elsewhere(const Facts& facts, int gpu, const std::string& library,
                                               const CallResult& result);

/// Every failed, refused or skipped case of the copy (on any GPU) tells by which answer.
bool failures_are_known(const Facts& facts, const std::string& library);

}  // namespace rnncheck::rules
