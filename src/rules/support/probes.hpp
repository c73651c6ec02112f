// How the processes of the probes ended, in words. Pure.
#pragma once

#include "rules/support/words.hpp"

namespace rnncheck::rules {

/// "cudnn_library /usr/lib/libcudnn.so.9": stable from run to run.
std::string subject_of(const ProbeRun& run);

/// "cuDNN /usr/lib/libcudnn.so.9", "the NVIDIA driver library /usr/lib/libcuda.so.1", "cuDNN /usr/lib/libcudnn.so.9 on
/// GPU 0", "rnncheck's own probe library_files".
std::string examined(const Facts& facts, const ProbeRun& run);

/// A probe that opens no vendor library: what goes wrong in it is not a library's fault.
bool is_own_probe(const Facts& facts, const ProbeRun& run);

/// The process of this run ended in that case of a recurrent network.
bool ended_in(const ProbeRun& run, const RnnRun& rnn_run);

/// It crashed, left, hung or ran out of time before its end.
bool was_cut_short(const ProbeRun& run);

/// "did not finish (timed out, no progress within 20 s)".
std::string ending_of(const ProbeRun& run);

/// " in cudnnGetVersion", or nothing when the call is unknown.
std::string in_last_call(const ProbeRun& run);

/// What the process was doing when its limit passed, how busy its GPU was meanwhile, and the faults that the driver
/// reported.
std::vector<Evidence> evidence_of_hang(const Facts& facts, const ProbeRun& run);

/// What that evidence points to: "the GPU is idle: the driver or the library waits for an event that does not occur".
/// Empty when nothing is known of the process.
std::string cause_of_hang(const Facts& facts, const ProbeRun& run);

/// What a rule about one kind of ending has to say about one run.
using EndFinding = Finding (*)(const Facts&, const ProbeRun&);
using IsFault = bool (*)(const Facts&, const ProbeRun&);

/// Judges all runs by how they ended: a finding for each for which `is_fault` holds (one per subject), a pass
/// only when every run came to its end.
Verdict over_probe_ends(const Facts& facts, IsFault is_fault, EndFinding finding, const std::string& all_well);

/// How it ended, the last call and the end of its output.
std::vector<Evidence> evidence_of(const Facts& facts, const ProbeRun& run);

/// The runs in which the cuDNN of this directory ended its process, as it does when it cannot open one of its
/// libraries.
std::vector<std::string> crashes_of_cudnn_in(const Facts& facts, const std::string& directory);

}  // namespace rnncheck::rules
