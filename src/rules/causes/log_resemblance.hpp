// Causes of a log by the words that their messages have in common with its lines, where no
// signature matches the error, or those that match indicate few causes. Pure.
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

/// The causes most like the lines that the log's events quote, harmless lines excepted, the most
/// alike first; none with fewer than two rare words in common or a similarity below 0.15. Programs
/// that no row describes use the words of those that rows describe.
std::vector<Resemblance> resembling_causes(const Log& log, const Matrix& matrix);

/// The literal words of a pattern of log_signatures, one text for each of its alternatives, with
/// blanks for what is no word: "(?:cuInit failed|No (?:GPU|CUDA) found)" gives " cuInit failed" and
/// "No  GPU CUDA  found ". What is around the alternatives belongs to the first and the last.
std::vector<std::string> words_of_pattern(std::string_view pattern);

}  // namespace rnncheck::rules
