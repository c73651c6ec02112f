// Rules asked about versions alone ("what if driver=535 cuda=12.4"): what was given, and what follows from the tables.
// Pure.
#pragma once

#include "facts/facts.hpp"
#include "matrix/matrix.hpp"
#include "rules/support/answers.hpp"

namespace rnncheck::rules {

/// Why a rule about such releases has nothing to say of a machine.
inline constexpr const char* about_named_releases = "it judges releases that a person names";

/// Null when not given.
const Version* given_driver(const Facts& facts);
const Version* given_cuda(const Facts& facts);
const Version* given_cudnn(const Facts& facts);
const Gpu* given_gpu(const Facts& facts);

/// Every build of a cuDNN release, by the CUDA major it is for.
std::vector<CudnnBuild> cudnn_builds_of(const Version& cudnn, const Matrix& matrix);
/// "11", "12".
std::vector<std::string> cuda_majors_of(const Version& cudnn, const Matrix& matrix);

/// "GPU" and what was given: "compute capability 8.6", "GeForce RTX 3090 (8.6)".
std::string words_of(const Gpu& gpu);
/// "PyTorch 2.4", "TensorFlow 2.10".
std::string words_of(const Framework& framework);

/// The published builds of a framework that what was given (release, flavour, system) may mean.
struct Builds {
    std::vector<FrameworkBuild> with_cuda;
    std::vector<FrameworkBuild> without_cuda;
    Coverage coverage = Coverage::known;  ///< when there are none at all: why
};
Builds builds_of(const Facts& facts, const Matrix& matrix, const Framework& framework);

/// What one build comes to: empty when it is well, else the fault.
using BuildFault = std::optional<Finding>;

/// As evidence: the build's row.
Evidence evidence_of(const FrameworkBuild& build, const std::string& value);
/// "CUDA 12.4, cuDNN 9.1.0", or "no CUDA".
std::string libraries_of(const FrameworkBuild& build);

/// A framework is at fault when every build that it may be is, by the first one's finding; well when none is. Else it
/// depends on the build, which was not given. `judge` returns nothing where the tables do not tell.
template <class Judge>
void judge_builds(const std::vector<FrameworkBuild>& builds, const Framework& framework, const std::string& good,
                  Answers& answers, Judge&& judge) {
    std::size_t faults = 0, unknown = 0;
    std::optional<Finding> first;
    for (const FrameworkBuild& build : builds) {
        const std::optional<BuildFault> answer = judge(build);
        if (!answer) ++unknown;
        if (!answer || !*answer) continue;
        if (++faults == 1) first = **answer;
    }
    if (builds.empty()) return;
    if (faults == builds.size()) return answers.fault(std::move(*first));
    if (unknown > 0) return answers.unknown("the data do not tell it of every build of " + words_of(framework));
    if (faults > 0)
        return answers.unknown("it depends on the build of " + words_of(framework) +
                               ", and that, or os=, was not given (as in pytorch=2.4+cu124 os=linux)");
    answers.good(good, {evidence_of(builds.front(), libraries_of(builds.front()))});
}

}  // namespace rnncheck::rules
