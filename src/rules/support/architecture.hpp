// A GPU's compute capability against the code that CUDA and cuDNN hold. Pure.
#pragma once

#include "rules/support/cases.hpp"

namespace rnncheck::rules {

/// What a rule says of a GPU: `describe` fills in the message, `on_machine` is a remedy where the versions were not
/// given but found.
struct ArchitectureWords {
    void (*describe)(Finding&, const Gpu&, const std::string& things);
    std::optional<Remedy> (*on_machine)(const Gpu&, const Matrix&);
};

/// One finding for each GPU that something has no machine code for, being newer than that, or else older.
Verdict judge_architecture(const Facts& facts, const Matrix& matrix, bool gpu_is_newer, const ArchitectureWords& words);

}  // namespace rnncheck::rules
