// Runs one probe as production does, in a process of its own, over simulated libraries.
#pragma once

#include <string>
#include <vector>

#include "facts/facts.hpp"

namespace rnncheck::test {

struct ProbeSetting {
    std::string target{};
    std::vector<std::string> flavours = {
        "base"};        ///< directories of simulated libraries, all on LD_LIBRARY_PATH
    std::string sim{};  ///< settings and faults of the simulated libraries
    Facts facts{};      ///< what earlier stages found
};

struct ProbeOutput {
    Facts facts;
    bool done = false;   ///< the probe came to its end
    std::string signal;  ///< that ended the process, or empty
    std::string last_call;
    std::vector<CallResult> failed_calls;
};

ProbeOutput run_probe(const std::string& probe, const ProbeSetting& setting = {});

/// Path of a simulated library: sim_file("cudnn9", "libcudnn.so.9").
std::string sim_file(const std::string& flavour, const std::string& name);

}  // namespace rnncheck::test
