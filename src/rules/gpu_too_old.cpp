// The GPU is of a generation that the CUDA or cuDNN installed has left behind.
#include "rules/rule.hpp"
#include "rules/support/architecture.hpp"

namespace rnncheck::rules::gpu_too_old {

static void describe(Finding& finding, const Gpu& gpu, const std::string& things) {
    finding.message = subject_of(gpu) + " of compute capability " + gpu.compute_capability->text + " is too old for " +
                      things + ", which no longer has code for it";
}

/// The newest cuDNN that the tables name for this GPU, of the newest CUDA there is for it.
static const CudnnBuild* last_cudnn(const Version& capability, const Matrix& matrix) {
    const CudnnBuild* newest = nullptr;
    for (const CudnnBuild& build : matrix.cudnn_builds()) {
        if (capability < build.capability_min) continue;
        if (!newest || std::pair(newest->last(), newest->cuda_major) < std::pair(build.last(), build.cuda_major))
            newest = &build;
    }
    return newest;
}

static std::optional<Remedy> on_machine(const Gpu& gpu, const Matrix& matrix) {
    const CudnnBuild* build = gpu.compute_capability ? last_cudnn(*gpu.compute_capability, matrix) : nullptr;
    if (!build) return std::nullopt;
    return Remedy{.action = Action::install_package,
                  .text = "Use a framework build for CUDA " + std::to_string(build->cuda_major) +
                          " or older, with cuDNN " + build->last().text + ", the last version for this GPU",
                  .commands = pip_commands_for(*build),
                  .link = build->source.url};
}

static Verdict check(const Facts& facts, const Matrix& matrix) {
    return judge_architecture(facts, matrix, false, {describe, on_machine});
}

extern const Rule rule{.title = "A GPU is too old for the installed CUDA or cuDNN",
                       .layer = Layer::gpu,
                       .stage = Stage::run,
                       .check = check,
                       .what_if_inputs = "gpu=, and cuda=, cudnn=, driver= or a framework",
                       .repaired_by_versions = true};

}  // namespace rnncheck::rules::gpu_too_old
