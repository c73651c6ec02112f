// One published build against one machine.
#pragma once

#include "compat/plan.hpp"

namespace rnncheck::planning {

/// One thing that a build depends on.
struct Part {
    Fit fit = Fit::works;
    std::string because;  ///< set unless it works or compiles first
    std::vector<std::string> notes;
    std::vector<std::string> sources;
    bool limited = false;
};

/// A GPU with what the table of architectures answers about it, asked once for all builds.
struct AskedGpu {
    Version capability;
    Answer<Architecture> architecture;
};
std::optional<AskedGpu> ask_for_gpu(const std::optional<Version>& capability, const Matrix& matrix);

struct GpuParts {
    /// Its code. Machine code runs on later minors of its major, PTX code wherever the driver's CUDA is not older than
    /// the one that made it and the CUDA libraries beside it hold code for the GPU.
    Part code;
    Part cudnn;  ///< the one it brings or asks for; where that is not known, every cuDNN for its CUDA
};
GpuParts judge_gpu(const FrameworkBuild& build, const AskedGpu& gpu, const std::optional<Version>& driver,
                   const Matrix& matrix);

/// Everything that was given; `gpu` is ask_for_gpu of the question's.
PlannedBuild judge_build(const FrameworkBuild& build, const PlanQuestion& question, const std::optional<AskedGpu>& gpu,
                         const Matrix& matrix);

/// The drivers of a CUDA release for "linux" or "windows".
Answer<DriverForCuda> drivers_for(const Version& cuda, const std::string& os, const Matrix& matrix);

/// UsageError unless the table has it.
void require_framework(const std::string& framework, const Matrix& matrix);

/// The command for this release; with a GPU also what keeps pip from a cuDNN that is too new for it.
std::string install_command(const FrameworkBuild& build, const std::optional<Version>& gpu, const Matrix& matrix);

}  // namespace rnncheck::planning
