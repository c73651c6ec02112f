// The options of `rnncheck lstm`, and which of them cannot be used together.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <string>

#include "facts/facts.hpp"
#include "facts/log.hpp"

namespace rnncheck {

/// The options of one case as given, by name without dashes: {"cell", "gru"}, {"lengths", "3,7,1"}. What is not given
/// keeps the default of a small LSTM: 64 units, 8 sequences of 16 steps.
using CaseWords = std::map<std::string, std::string>;

/// UsageError names the option, what it cannot be, and what it can.
RnnCase case_from_words(const CaseWords& words);

/// The network of a TensorFlow message, as options; InputError when the log does not tell its sizes.
CaseWords words_from_log(const LogRnnConfig& config);

/// As given; an empty text or `device` -1 is an option that was not.
struct LstmOptions {
    CaseWords words;
    std::string level, log, cudnn, interface, deadline, root, output, resume;
    int device = -1;
    std::string repro, fit, svg, dropout;
    bool no_shrink = false;
};

/// Filled when the command line is read, which throws UsageError for an empty value and a negative --device.
std::shared_ptr<const LstmOptions> declare_lstm_options(CLI::App& app);

/// What to run. UsageError names the option that cannot be, or cannot be with another.
RnnRequest request_of(const LstmOptions& given, const Log& log);

/// UsageError when the file of --svg or --emit-repro cannot be written: nobody should wait for a run to learn that.
void check_writable(const LstmOptions& given);

/// UsageError when --resume stands beside what only its file can tell.
void refuse_choice_of_cases(const LstmOptions& given);

/// The same for --fit, of which `request` is; else what it looks for.
FitSize fit_of(const LstmOptions& given, const RnnRequest& request);

}  // namespace rnncheck
