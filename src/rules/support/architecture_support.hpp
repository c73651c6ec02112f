// A GPU's compute capability against the code that CUDA and cuDNN hold. Pure.
#pragma once

#include "rules/support/rnn_support.hpp"

namespace rnncheck::rules {

enum class CodeMatch {
    fits,
    too_old,  ///< the GPU is older than anything it holds code for
    too_new,  ///< the GPU is newer, or a call answered that there is no code for it
    unknown,
    unusable,  ///< it never answered, which another rule tells
};

/// One runtime or copy of cuDNN against one GPU.
struct Compared {
    std::string thing;  ///< "cuDNN 9.19.0 at ..."
    CodeMatch fit = CodeMatch::unknown;
    bool shown = false;    ///< that it fits was seen, not looked up: networks ran
    std::string why;       ///< why not known
    bool outside = false;  ///< not known, because it lies outside the tables
    Severity severity = Severity::error;
    std::vector<Evidence> evidence;
};

/// A CUDA release against a capability, by the tables.
Compared by_architecture(const Matrix& matrix, const Version& capability, const Version& cuda, Compared compared);

/// A framework against a capability, by the targets that its files or the tables tell.
Compared framework_against(const Framework& framework, const Version& capability);

/// Everything that was given against the GPU that was given.
std::vector<Compared> compare_versions(const Facts& facts, const Matrix& matrix, const Gpu& gpu);

/// Whether every case went well on this GPU with this copy or another one of the same release and CUDA.
bool cases_went_well(const Facts& facts, int gpu, const CudnnCopy& copy);

/// One finding for each GPU that does not fit something in this way; `describe` fills in message and remedies.
Verdict judge_architecture(const Facts& facts, const Matrix& matrix, CodeMatch misfit,
                           void (*describe)(Finding&, const Gpu&, const std::string& things));

}  // namespace rnncheck::rules
