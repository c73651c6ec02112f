// What running the network of a log shows about the failure in that log.
#pragma once

#include "report/report.hpp"

namespace rnncheck {

/// InputError when the log tells of no network, or not of its cell and size.
const LogRnnConfig& network_in(const Log& log, const std::string& file);

/// `facts` are those of a machine on which the network of `config` was run, or of one that has no GPU.
LogReplay replay_of(const LogRnnConfig& config, const Facts& facts);

}  // namespace rnncheck
