// A simulated machine in this process: one GPU, and one of the three simulated cuDNNs.
#pragma once

#include <string>

#include "rnn/compare.hpp"
#include "rnn/sweep.hpp"
#include "vendor/lstm.hpp"

namespace rnncheck::test {

/// Sets the variable SIM: the machine and its faults from now on.
void simulate(const std::string& sim);

/// A session on the simulated cuDNN of a major; made once, lives as long as the process.
const vendor::Session& simulated_session(int major);

/// The case run and compared with the reference, with this reduced precision allowed for.
struct Outcome {
    RnnRun run;
    vendor::Outputs outputs;
    Comparison comparison;
};
Outcome run_and_compare(
    int major, RnnApi rnn_api, const RnnCase& rnn_case, const ReducedPrecision& reduced = {});

/// What a case may show on the simulated machine (compute capability 8.6).
ReducedPrecision reduced_there(int major, const RnnCase& rnn_case);

/// The simulated machine, through one interface of its cuDNN.
RnnPlace place_there(int major, RnnApi rnn_api);

}  // namespace rnncheck::test
