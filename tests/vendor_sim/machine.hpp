// A simulated machine in this process: one GPU, and one of the three simulated cuDNNs.
#pragma once

#include <string>

#include "rnn/sweep.hpp"
#include "vendor/lstm.hpp"

namespace rnncheck::test {

/// Sets the variable SIM: the machine and its faults from now on.
void simulate(const std::string& sim);

/// A session on the simulated cuDNN of a major; made once, lives as long as the process.
const vendor::Session& simulated_session(int major);

/// The case run and compared with the reference. `tf32` is whether reduced precision is to be allowed for.
struct Outcome {
    vendor::LstmRun run;
    Comparison comparison;
};
Outcome run_and_compare(int major, Dialect dialect, const RnnCase& rnn_case, bool tf32);

/// Whether a case on the simulated machine (compute capability 8.6) may compute in TF32.
bool may_use_tf32(int major, const RnnCase& rnn_case);

}  // namespace rnncheck::test
