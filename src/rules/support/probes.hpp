// How the processes of the probes ended, in words. Pure.
#pragma once

#include "rules/support/words.hpp"

namespace rnncheck::rules {

/// This run's process ended while it computed this case.
bool is_last_case(const ProbeRun& run, const RnnRun& rnn_run);
/// The same, and the process ended because of it: it neither completed nor is stuck.
bool ended_in(const ProbeRun& run, const RnnRun& rnn_run);

/// What the facts should contain and do not: a field that every document has, the result of a probe
/// that finished.
std::optional<std::string> what_is_lost(const Facts& facts);

/// It crashed, left, hung or ran out of time before its end.
bool was_cut_short(const ProbeRun& run);

/// "did not finish (timed out, no progress within 20 s)".
std::string ending_of(const ProbeRun& run);

/// What the process was doing when its limit passed, how busy its GPU was meanwhile, and the faults
/// that the driver reported.
std::vector<Evidence> evidence_of_hang(const Facts& facts, const ProbeRun& run);

/// What that evidence points to: "the GPU is idle: the driver or the library waits for an event
/// that does not occur". Empty when nothing is known of the process.
std::string cause_of_hang(const Facts& facts, const ProbeRun& run);

/// The path in the target of a run: "C:/cudnn64_9.dll" of "GPU 0 v8 C:/cudnn64_9.dll"; empty
/// without one.
std::string path_in_target(const ProbeRun& run);

/// The runs in which the cuDNN of this directory ended its process, as it does when it cannot open
/// one of its libraries.
std::vector<std::string> crashes_of_cudnn_in(const Facts& facts, const std::string& directory);

/// Whether the probe opens no vendor library, so that its failure is not a library's fault.
bool is_own_probe(const ProbeRun& run);

/// "cuDNN /usr/lib/libcudnn.so.9", "the NVIDIA driver library /usr/lib/libcuda.so.1", "cuDNN
/// /usr/lib/libcudnn.so.9 on GPU 0", "rnncheck's own probe library_files".
std::string examined(const Facts& facts, const ProbeRun& run);

/// "cudnn_library /usr/lib/libcudnn.so.9": stable from run to run.
std::string subject_of(const ProbeRun& run);

/// " in cudnnGetVersion", or nothing when the call is unknown.
std::string in_last_call(const ProbeRun& run);

/// Whether the process ended in a case, which the rules rnn_* then report as failed.
bool ended_in_a_case(const Facts& facts, const ProbeRun& run);

/// The verdict of a rule about ends that found none of its own: other ends leave open how a probe
/// would have ended; a pass with `all_well` if all came to their end.
Verdict without_findings(const Facts& facts, const std::string& all_well);

}  // namespace rnncheck::rules
