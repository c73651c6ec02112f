// What would make versions fit together: proposals computed from the tables. judge() keeps those that hold when what
// they change is judged again. Pure.
#pragma once

#include "facts/facts.hpp"
#include "matrix/matrix.hpp"
#include "report/finding.hpp"
#include "stack/questions.hpp"

namespace rnncheck::rules {

/// The machine as a person would describe it to `matrix check`: driver, GPUs, system, active Python and the frameworks
/// in use.
Facts as_given(const Facts& facts, const Matrix& matrix);

/// What is given with a log is installed: of a framework with its own libraries, whose build was not named, the build
/// for the specified CUDA, if there is one.
Facts as_installed(Facts given, const Matrix& matrix);

/// Proposals for what was given (of a machine: as_given), from the smallest change on: another driver, another build of
/// the same framework version, another CUDA and cuDNN, another Python, another framework version. Each remedy's
/// `changes` list what is different afterwards; the commands are those for the machine that `facts` describe.
std::vector<Remedy> proposed_repairs(const Facts& given, const Facts& facts, const Matrix& matrix);

/// If no package on PyPI of any version runs on this GPU: conda-forge's builds that do, and the newest container image
/// of the framework. Else nothing.
std::vector<Remedy> image_instead(bool on_windows, const std::string& framework, const Version& gpu,
                                  const stack::DriverAsked& driver, const Matrix& matrix);

/// The remedy if no proposed fix passes.
Remedy without_repair(const Facts& given, const Matrix& matrix);

/// The plan for the finding's GPU and the driver, as its last remedy (Rule::repaired_by_versions).
void offer_plan(const Facts& facts, Finding& finding);

}  // namespace rnncheck::rules
