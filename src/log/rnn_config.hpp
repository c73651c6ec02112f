// The model configuration in TensorFlow's "Failed to call ThenRnnForward with model config: ...", in all its forms.
#pragma once

#include "facts/log.hpp"

namespace rnncheck::log_reader {

/// From what the signature rnn_call_failed tells. Names that the line announces and that have no number are `missing`.
LogRnnConfig rnn_config_of(const LogEvent& event);

}  // namespace rnncheck::log_reader
