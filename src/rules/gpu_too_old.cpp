// The GPU is of a generation that the CUDA or cuDNN installed has left behind.
#include "rules/rule.hpp"
#include "rules/support/architecture_support.hpp"
#include "rules/support/plan_remedy.hpp"

namespace rnncheck::rules {

static void describe(Finding& finding, const Gpu& gpu, const std::string& things) {
    finding.message = subject_of(gpu) + " of compute capability " + gpu.compute_capability->text + " is too old for " +
                      things + ", which no longer has code for it";
    finding.remedies = {
        {.text = "Use a build for an older CUDA, with the last cuDNN for this GPU: 9.10 of CUDA 12 for "
                 "Maxwell, Pascal and Volta, 8.7 of CUDA 11 for Kepler",
         .commands = {"pip install 'nvidia-cudnn-cu12<9.11'"},
         .verify = "rnncheck doctor --only gpu_too_old",
         .link = "https://docs.nvidia.com/deeplearning/cudnn/backend/v9.5.1/reference/support-matrix.html"}};
}

static Verdict check(const Facts& facts, const Matrix& matrix) {
    return with_plan(judge_architecture(facts, matrix, Fit::too_old, describe), facts);
}

extern const Rule gpu_too_old{.title = "A GPU is too old for the CUDA or cuDNN installed",
                              .layer = Layer::gpu,
                              .worst = Severity::error,
                              .needs = Stage::run,
                              .check = check};

}  // namespace rnncheck::rules
