// What running the network of a log tells about the failure in that log.
#pragma once

#include "base/json.hpp"
#include "commands/lstm_memory.hpp"
#include "facts/facts.hpp"

namespace rnncheck {

enum class LogFailure {
    environment,  ///< cuDNN itself fails here with the same network
    memory,       ///< it does not fit into the memory that is free
    elsewhere,    ///< cuDNN computes it here: the framework, its data, or what else took memory
    unknown,      ///< nothing was computed
};
RNNCHECK_ENUM_NAMES(LogFailure, "environment", "memory", "elsewhere", "unknown")

struct LogExperiment {
    LogFailure failure = LogFailure::unknown;
    std::vector<std::string> sentences;  ///< what follows, what was taken for what the log does not tell, the memory
};

/// InputError when the log tells of no network, or not of its cell and size.
const LogRnnConfig& network_in(const Log& log, const std::string& file);

/// `facts` are those of a machine on which the network of `config` was run, or of one that has no GPU.
LogExperiment experiment_of(const LogRnnConfig& config, const Facts& facts);

Json to_json(const LogExperiment& experiment);

}  // namespace rnncheck
