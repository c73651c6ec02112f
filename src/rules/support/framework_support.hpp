// Frameworks given by their release, judged by the tables of their builds. Pure.
#pragma once

#include <functional>

#include "matrix/ranges.hpp"
#include "rules/support/cudnn_support.hpp"
#include "rules/support/seen.hpp"
#include "rules/support/versions.hpp"

namespace rnncheck::rules {

/// What one build comes to: nothing where the tables do not tell, else its fault or none.
using Answered = std::optional<BuildFault>;
inline Answered not_told() {
    return std::nullopt;
}
inline Answered well() {
    return BuildFault();
}
inline Answered at_fault(Finding finding) {
    return BuildFault(std::move(finding));
}

/// What --for asks about on a machine, as a person would give it: those releases and the system. Unset when nothing is
/// asked about.
std::optional<Facts> asked_releases(const Facts& facts);

/// A rule's answer about versions alone (`check`) on those releases: as without a machine, what was not given is no
/// open question.
Verdict judge_asked_releases(const std::optional<Facts>& about, const Matrix& matrix,
                             Verdict (*check)(const Facts&, const Matrix&));

/// Which builds a rule speaks of.
bool any_build(const FrameworkBuild& build);
bool takes_system_libraries(const FrameworkBuild& build);
bool brings_libraries(const FrameworkBuild& build);

/// Every framework with a release, by those builds that `speaks_of` picks.
Verdict judge_frameworks(const Facts& facts, const Matrix& matrix, bool (*speaks_of)(const FrameworkBuild&),
                         const std::function<Answered(const FrameworkBuild&, const Framework&)>& judge);

/// A cuDNN for something built with another: it must be of the same major, and of the same minor or a later one.
/// https://github.com/openxla/xla/blob/main/xla/stream_executor/cuda/cuda_dnn.cc
enum class Serves { well, too_old, too_new };
Serves serves(const Version& cudnn, const Version& built_with);

/// The cuDNN that was given, for every framework with a release: at fault where it serves in a way that `is_fault`
/// names, with what `describe` says besides the evidence.
Verdict judge_cudnn_of_frameworks(const Facts& facts, const Matrix& matrix, bool (*speaks_of)(const FrameworkBuild&),
                                  bool (*is_fault)(Serves),
                                  void (*describe)(Finding&, const Framework&, const FrameworkBuild&,
                                                   const Version& cudnn));

}  // namespace rnncheck::rules
