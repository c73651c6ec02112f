// The GPU is of a generation that the CUDA or cuDNN installed has left behind.
#include "rules/rule.hpp"
#include "rules/support/architecture.hpp"

namespace rnncheck::rules::gpu_too_old {

static void describe(Finding& finding, const Gpu& gpu, const std::string& things) {
    finding.message = subject_of(gpu) + " of compute capability " + gpu.compute_capability->text + " is too old for " +
                      things + ", which no longer has code for it";
}

static Version last_of(const CudnnBuild& build) {
    return build.cudnn_last.value_or(build.cudnn);
}

/// The newest cuDNN that the tables name for this GPU, of the newest CUDA there is for it.
static const CudnnBuild* last_cudnn(const Version& capability, const Matrix& matrix) {
    const CudnnBuild* newest = nullptr;
    for (const CudnnBuild& build : matrix.cudnn_builds()) {
        if (capability < build.capability_min) continue;
        if (!newest || std::pair(last_of(*newest), newest->cuda_major) < std::pair(last_of(build), build.cuda_major))
            newest = &build;
    }
    return newest;
}

static Remedy older_cudnn(const CudnnBuild& build) {
    constexpr int oldest_wheels = 11;
    const std::string release = last_of(build).text, cuda = std::to_string(build.cuda_major);
    std::vector<std::string> commands;
    if (build.cuda_major >= oldest_wheels)
        commands = {"pip install \"nvidia-cudnn-cu" + cuda + "==" + release + ".*\""};
    return {.action = Action::install_package,
            .text = "Use a framework build for CUDA " + cuda + " or older, with cuDNN " + release +
                    ", the last version for this GPU",
            .commands = commands,
            .link = build.source.url};
}

static Verdict check(const Facts& facts, const Matrix& matrix) {
    Verdict verdict = judge_architecture(facts, matrix, false, describe);
    if (only_given(facts)) return verdict;
    for (Finding& finding : verdict.findings)
        if (const auto capability = parse_version(finding.evidence.front().value))
            if (const CudnnBuild* build = last_cudnn(*capability, matrix))
                finding.remedies.push_back(older_cudnn(*build));
    return verdict;
}

extern const Rule rule{.title = "A GPU is too old for the installed CUDA or cuDNN",
                       .layer = Layer::gpu,
                       .stage = Stage::run,
                       .check = check,
                       .what_if_inputs = "gpu=, and cuda=, cudnn=, driver= or a framework",
                       .repaired_by_versions = true};

}  // namespace rnncheck::rules::gpu_too_old
