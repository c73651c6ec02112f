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

}  // namespace rnncheck::rules
