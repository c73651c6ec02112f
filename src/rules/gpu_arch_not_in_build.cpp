// The CUDA or cuDNN installed was made before the GPU, or without code for it.
#include "rules/rule.hpp"
#include "rules/support/architecture.hpp"

namespace rnncheck::rules::gpu_arch_not_in_build {

static void describe(Finding& finding, const Gpu& gpu, const std::string& things) {
    const std::string capability =
        gpu.compute_capability ? " of compute capability " + gpu.compute_capability->text : "";
    const bool only_slow = finding.severity != Severity::error;
    finding.message = "there is no machine code for " + subject_of(gpu) + capability + " in " + things +
                      (only_slow ? "; PTX code, compiled at first use, may still run" : "");
}

static std::optional<Remedy> on_machine(const Gpu&, const Matrix&) {
    return Remedy{.action = Action::install_package,
                  .text =
                      "Use a framework build for a CUDA version that supports this GPU (12.8 or later for Blackwell, "
                      "12.9 for its capabilities 10.3 and 12.1, 11.8 for Ada and Hopper), with a cuDNN built for "
                      "that CUDA version",
                  .link = "https://developer.nvidia.com/cuda-gpus"};
}

static Verdict check(const Facts& facts, const Matrix& matrix) {
    return judge_architecture(facts, matrix, true, {describe, on_machine});
}

extern const Rule rule{.title = "The installed CUDA or cuDNN has no code for a GPU",
                       .layer = Layer::gpu,
                       .stage = Stage::run,
                       .check = check,
                       .what_if_inputs = "gpu=, and cuda=, cudnn= or a framework",
                       .repaired_by_versions = true};

}  // namespace rnncheck::rules::gpu_arch_not_in_build
