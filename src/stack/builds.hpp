// Which published builds a framework of a stack may be, and which of them decides. Pure.
#pragma once

#include <functional>

#include "stack/judgement_builder.hpp"
#include "stack/plan.hpp"
#include "stack/stack.hpp"

namespace rnncheck::stack {

/// The published builds for x86-64, or those for Linux on Arm.
const std::vector<FrameworkBuild>& published_builds(bool arm, const Matrix& matrix);

/// The published builds of a framework that what is known (version, flavour, system) may mean.
struct Builds {
    std::vector<FrameworkBuild> with_cuda;
    std::vector<FrameworkBuild> without_cuda;
    Coverage coverage = Coverage::known;  ///< when there are none at all: why
};
/// Without a system, of all of them. Rows of conda-forge only where it is
/// named, or where the project itself has none.
Builds builds_of(
    const Framework& framework,
    const std::optional<std::string>& os,
    bool arm,
    const Matrix& matrix);
/// For the stack's system, of the rows of one package those of its CUDA.
Builds builds_of(const Stack& stack, const Framework& framework, const Matrix& matrix);

/// As a part of a conflict.
Part framework_part(const Framework& framework);

/// "CUDA 12.4, cuDNN 9.1.0", or "no CUDA".
std::string libraries_of(const FrameworkBuild& build);

/// What `pip install PACKAGE==VERSION` gives, without an index or an extra.
bool is_default(const FrameworkBuild& build);
/// Where CUDA and cuDNN come from: the system, which is then part of the stack,
/// or the package itself.
bool takes_system_libraries(const FrameworkBuild& build);
bool bundles_libraries(const FrameworkBuild& build);

/// Of builds that differ, the one whose answer is the framework's.
struct RepresentativeBuild {
    const FrameworkBuild* build =
        nullptr;  ///< null: it depends on the build, and none is the default
    /// "its default build, cu128, unlike cu126"; "" if no build differs; if none decides, "no
    /// problem with cu126; a problem with cu128".
    std::string words;
};
/// `answers` has a number for each of the builds, at least one: above 0 no problem, 0 unknown,
/// below 0 a problem; equal numbers are the same answer. If builds differ, the default one of the
/// package index decides; if the system is unknown, that of Linux, unless another system has a
/// better answer.
RepresentativeBuild deciding_build(
    const Framework& framework,
    const std::vector<FrameworkBuild>& builds,
    const std::vector<int>& answers);

/// What is different once that build is installed: of the stack, also the libraries that it takes
/// from the system.
std::vector<GivenValue> changes_to(
    const FrameworkBuild& build, const Version& version, const Stack& stack);

using JudgeBuild = std::function<Judgement(const FrameworkBuild&)>;
/// A framework is at fault when the deciding one of the builds that it may be is; well when none
/// is. Else it depends on the build. `judge` is undecided if the tables do not show it, and fits
/// with a reason.
void judge_builds(
    const std::vector<FrameworkBuild>& builds,
    const Framework& framework,
    JudgementBuilder& judgements,
    const JudgeBuild& judge);

/// Every framework with a version, by those builds that `is_meant` picks.
Judgement judge_frameworks(
    const Stack& stack,
    const Matrix& matrix,
    bool (*is_meant)(const FrameworkBuild&),
    const std::function<Judgement(const FrameworkBuild&, const Framework&)>& judge);

}  // namespace rnncheck::stack
