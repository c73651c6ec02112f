// The options of `rnncheck lstm`, and which of them cannot be used together.
#pragma once

#include <map>

#include "commands/common_options.hpp"

namespace rnncheck {

/// As given; what is unset or empty was not.
struct LstmOptions {
    /// What the options of one case change in a network, by their names without dashes. What is not given keeps the
    /// value of the log's network or of a small LSTM: 64 units, 8 sequences of 16 steps.
    std::map<std::string, std::function<void(RnnCase&)>> changes;
    std::optional<Level> level;
    std::optional<Dialect> interface;
    std::optional<FitSize> fit;
    std::optional<int> device;
    std::optional<double> dropout, deadline_s;
    std::string log, cudnn, root, save, resume, repro, svg;
    bool no_shrink = false;
};

/// The result reads them once the command line is parsed. UsageError names the option that cannot be, or cannot be
/// with another, and a file of --svg or --emit-repro that cannot be written: nobody should wait for a run to learn
/// that.
std::function<LstmOptions()> declare_lstm_options(CLI::App& app);

/// What to run. UsageError says why a network cannot be; InputError why the log holds none.
RnnRequest request_of(const LstmOptions& given, const Log& log);

}  // namespace rnncheck
