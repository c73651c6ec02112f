// One recurrent-network case from words: options of the command line, or the configuration that a log tells.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "facts/log.hpp"
#include "rnn/case.hpp"

namespace rnncheck {

/// The options as given, by name without dashes: {"cell", "gru"}, {"lengths", "3,7,1"}. What is not given keeps the
/// default of a small LSTM: 64 units, 8 sequences of 16 steps.
using CaseWords = std::map<std::string, std::string>;

/// UsageError names the option, what it cannot be, and what it can.
RnnCase case_from_words(const CaseWords& words);

/// Why a case cannot be, as cuDNN's documentation rules it out, before a GPU is asked; in the words of the options.
std::optional<std::string> contradiction_in(const RnnCase& rnn_case);

/// The options that give this case again: "--cell gru --hidden 32".
std::string words_of(const RnnCase& rnn_case);

/// The shortest text that is read back as the very number.
std::string exact_number(double number);

/// The network of a TensorFlow message, as options; InputError when the log does not tell its sizes.
CaseWords words_from_log(const LogRnnConfig& config);

}  // namespace rnncheck
