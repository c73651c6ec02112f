// Causes of a log in which no line is known, by the words that their messages have in common. Pure.
#pragma once

#include "facts/log.hpp"
#include "matrix/log_rows.hpp"

namespace rnncheck {
class Matrix;
}

namespace rnncheck::rules {

/// A cause whose messages, or whose description, have words like those of a log.
struct Resemblance {
    std::string cause;               ///< key of log_causes: "cuda_library_not_installed"
    double similarity = 0;           ///< from 0 to 1, the cosine of the two texts' weighted words
    std::vector<std::string> words;  ///< in common, those that weigh most first; at most five
};

/// The causes most like the lines that the log's events quote, the most alike first; at most three,
/// and none that has few words in common or whose similarity is small. Programs that no row
/// describes use the words of those that rows describe: of 48 public logs with an unknown error, 21
/// resemble a cause, 12 of them first that which its thread confirms.
std::vector<Resemblance> resembling_causes(const Log& log, const Matrix& matrix);

/// The literal words of a pattern of log_signatures, one text for each of its alternatives:
/// "(?:cuInit failed|No (?:GPU|CUDA device) found)" gives "cuInit failed" and
/// "No  GPU CUDA device  found".
std::vector<std::string> words_of_pattern(std::string_view pattern);

}  // namespace rnncheck::rules
