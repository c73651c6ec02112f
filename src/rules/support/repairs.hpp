// What would make versions fit together: proposals computed from the tables. judge() keeps those
// that hold when what they change is judged again. Pure.
#pragma once

#include "facts/facts.hpp"
#include "matrix/matrix.hpp"
#include "report/finding.hpp"
#include "stack/questions.hpp"

namespace rnncheck::rules {

/// Proposals for a stack, from the smallest change on: another driver, another build of
/// the same framework version, another CUDA and cuDNN, another Python, another framework version.
/// Each remedy's `changes` list what is different afterwards; the commands are those for the
/// machine that `facts` describe.
std::vector<Remedy> proposed_repairs(
    const stack::Stack& stack, const Facts& facts, const Matrix& matrix);

/// If no package on PyPI of any version runs on this GPU: conda-forge's builds that do, and the
/// newest container image of the framework. Else nothing. `arm`: of the packages for Linux on Arm.
std::vector<Remedy> image_instead(
    bool on_windows,
    const std::string& framework,
    const Version& gpu,
    const stack::Driver& driver,
    const Matrix& matrix,
    bool arm = false);

/// The remedy if no proposed fix passes.
Remedy without_repair(const stack::Stack& stack, const Matrix& matrix);

/// The plan for the finding's GPU and the driver, as its last remedy (Rule::repaired_by_versions).
void append_plan_command(const Facts& facts, Finding& finding);

}  // namespace rnncheck::rules
