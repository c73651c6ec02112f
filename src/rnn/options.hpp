// Cases in words: in one line, and as options of `rnncheck lstm`.
#pragma once

#include <optional>
#include <string>

#include "rnn/case.hpp"

namespace rnncheck {

/// The options that give this case again: "--cell gru --dtype fp32 --layers 1 --input 3 --hidden 32 ...".
std::string options_of(const RnnCase& rnn_case);

/// Why a case cannot be, as cuDNN's documentation rules it out, before a GPU is asked; in the words of the options.
std::optional<std::string> contradiction_in(const RnnCase& rnn_case);

/// The shortest text that is read back as the same number: "0.1".
std::string exact_number(double number);

}  // namespace rnncheck
