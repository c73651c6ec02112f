// One published build against one machine.
#pragma once

#include "plan/plan.hpp"

namespace rnncheck::planning {

/// One thing that a build depends on.
struct Part {
    Fit fit = Fit::works;
    std::string because;  ///< set unless it works or compiles first
    std::vector<std::string> notes;
    std::vector<std::string> sources;
    bool limited = false;
};

/// Its code against the GPU. Machine code runs on later minors of its major, PTX code wherever the driver's CUDA is not
/// older than the one that made it.
Part judge_code(const FrameworkBuild& build, const Version& gpu, const std::optional<Version>& driver,
                const Matrix& matrix);

/// The cuDNN it brings or asks for against the GPU; where that is not known, every cuDNN for its CUDA.
Part judge_cudnn(const FrameworkBuild& build, const Version& gpu, const Matrix& matrix);

/// Everything that was given.
PlannedBuild judge_build(const FrameworkBuild& build, const PlanQuestion& question, const Matrix& matrix);

/// Whether a driver given as release or as branch is at least this release; of a branch, its newest release counts.
bool reaches(const Version& driver, const Version& release);

/// The drivers of a CUDA release for "linux" or "windows".
Answer<DriverForCuda> drivers_for(const Version& cuda, const std::string& os, const Matrix& matrix);

/// UsageError unless the table has it.
void require_framework(const std::string& framework, const Matrix& matrix);

/// The command for this release; with a GPU also what keeps pip from a cuDNN that is too new for it.
std::string install_command(const FrameworkBuild& build, const std::optional<Version>& gpu, const Matrix& matrix);

}  // namespace rnncheck::planning
