// Which GPU, which CUDA and which networks a cuDNN is for.
#include <algorithm>

#include "base/text.hpp"
#include "matrix/ranges.hpp"
#include "stack/compatibility.hpp"

namespace rnncheck::stack {

namespace {

/// By the oldest and the newest GPU that NVIDIA's support matrix names for it.
Fit fit_of(const CudnnBuild& build, const Version& gpu) {
    if (gpu < build.capability_min)
        return Fit::does_not_work;
    // Of one major, newer GPUs run the same machine code; Turing with builds for CUDA 9 is known
    // not to.
    if (gpu.major() <= build.capability_max.major() && !turing_on_cuda_9(build.cuda_major, gpu))
        return Fit::works;
    // cuDNN 9 for CUDA 12 and later holds PTX as well, which the driver compiles for a newer GPU.
    // https://docs.nvidia.com/deeplearning/cudnn/backend/latest/ (forward compatibility)
    if (build.cudnn.major() >= 9 && build.cuda_major >= 12)
        return Fit::compiles_first;
    return Fit::does_not_work;
}

/// "cuDNN 9.1.0 for CUDA 12", without a version where the data have none.
std::string cudnn_in_words(const FrameworkBuild& build) {
    const std::string of_cuda = " for CUDA " + std::to_string(build.cuda->major());
    if (!build.cudnn)
        return "cuDNN" + of_cuda;
    return "cuDNN " + version_in_words(*build.cudnn) + of_cuda;
}

}  // namespace

Compatibility cudnn_on_gpu(const CudnnBuild& build, const Version& gpu) {
    const std::string thing =
        "cuDNN " + build.cudnn.text + " for CUDA " + std::to_string(build.cuda_major);
    const std::string oldest = build.capability_min.text, newest = build.capability_max.text;
    Compatibility answer{.fit = fit_of(build, gpu), .gpu_is_newer = gpu >= build.capability_min};
    std::string known = "needs compute capability " + oldest + " or later";
    if (answer.fit == Fit::works)
        known = "has code for compute capability " + oldest + " to " + newest;
    else if (answer.gpu_is_newer)
        known = "knows GPUs up to compute capability " + newest;
    if (answer.fit != Fit::works)
        answer.why = thing + " has no code for compute capability " + gpu.text;
    answer.evidence = {{thing, known, build.source.url}};
    return answer;
}

/// A build that names 9.1 may get any 9.1.x, of which the best counts; of one
/// whose cuDNN is unknown all have to have code for the GPU.
Compatibility cudnn_of_build_on_gpu(
    const FrameworkBuild& build, const Version& gpu, const Matrix& matrix) {
    if (build.without_cudnn || !build.cuda)
        return {};
    Fit best = Fit::does_not_work, worst = Fit::works;
    const CudnnBuild* first = nullptr;
    for (const CudnnBuild& row : matrix.cudnn_builds()) {
        if (row.cuda_major != build.cuda->major() || (build.cudnn && !may_be_of(row, *build.cudnn)))
            continue;
        if (!first)
            first = &row;
        best = std::min(best, fit_of(row, gpu));
        worst = std::max(worst, fit_of(row, gpu));
    }
    if (!first)
        return not_known(cudnn_in_words(build) + " is not in the data");
    if (!build.cudnn && best != Fit::does_not_work && worst == Fit::does_not_work)
        return not_known(
            "its cuDNN is not in the data, and not every one for CUDA " +
            std::to_string(build.cuda->major()) + " has code for " + gpu.text);
    CudnnBuild named = *first;
    named.cudnn = build.cudnn.value_or(first->cudnn);
    Compatibility answer = cudnn_on_gpu(named, gpu);
    answer.fit = worst;
    if (build.cudnn)
        answer.fit = best;
    if (answer.fit == Fit::does_not_work)
        answer.why = cudnn_in_words(build) + " has no code for compute capability " + gpu.text;
    if (answer.fit == Fit::compiles_first)
        answer.why = cudnn_in_words(build) +
                     " is older than this GPU: the driver compiles its PTX at the first use";
    return answer;
}

const CudnnBuild* newer_cudnn_without(
    const FrameworkBuild& build, const Version& gpu, const Matrix& matrix) {
    if (!build.cudnn_or_newer || !build.cudnn)
        return nullptr;
    return first_cudnn_without(gpu, *build.cudnn, build.cuda->major(), matrix);
}

std::vector<CudnnBuild> cudnn_builds_of(const Version& cudnn, const Matrix& matrix) {
    std::vector<CudnnBuild> builds;
    for (const CudnnBuild& build : matrix.cudnn_builds())
        if (covers(build.cudnn, build.cudnn_last, cudnn))
            builds.push_back(build);
    std::ranges::sort(builds, {}, &CudnnBuild::cuda_major);
    return builds;
}

const CudnnBuild* first_cudnn_without(
    const Version& gpu, const Version& from, int cuda_major, const Matrix& matrix) {
    return find_where(matrix.cudnn_builds(), [&](const CudnnBuild& row) {
        return row.cuda_major == cuda_major && row.cudnn.major() == from.major() &&
               row.last() >= from && gpu < row.capability_min;
    });
}

std::string as_bound(const Version& version) {
    if (version.parts[2] == 0)
        return shortened(version, 2).text;
    return version.text;
}

/// Whether NVIDIA published that version for that CUDA.
Compatibility cudnn_for_cuda(const Version& cudnn, int cuda_major, const Matrix& matrix) {
    const auto build = matrix.cudnn_build(cudnn, cuda_major);
    const std::string pair = "cuDNN " + cudnn.text + " for CUDA " + std::to_string(cuda_major);
    if (build)
        return {.fit = Fit::works, .why = "there is a " + pair};
    const auto others = cudnn_builds_of(cudnn, matrix);
    if (others.empty() || build.coverage != Coverage::silent)
        return outside(pair, build.coverage, matrix);
    Compatibility answer{.fit = Fit::does_not_work};
    std::vector<std::string> majors;
    for (const CudnnBuild& other : others) {
        majors.push_back(std::to_string(other.cuda_major));
        answer.evidence.push_back(
            {"cuDNN " + cudnn.text, "for CUDA " + majors.back(), other.source.url});
    }
    answer.why = "there is no " + pair + "; it was built for CUDA " + join_with_and(majors);
    return answer;
}

/// Of the newest CUDA; on Linux also one that the driver runs.
const CudnnBuild* fixed_cudnn(
    const RnnDefect& defect,
    const std::optional<Version>& gpu,
    const Stack& stack,
    const Matrix& matrix) {
    const bool on_linux = stack.driver && systems_of_driver(stack).front() == "linux";
    const auto suits = [&](const CudnnBuild& build) {
        return (!gpu || fit_of(build, *gpu) == Fit::works) &&
               (!stack.cuda || build.cuda_major == stack.cuda->major()) &&
               (!on_linux || !build.driver_min || reaches(*stack.driver, *build.driver_min));
    };
    const CudnnBuild* newest = nullptr;
    for (const CudnnBuild& build : matrix.cudnn_builds()) {
        const bool fixes =
            build.cudnn.major() == defect.fixed->major() && build.last() >= *defect.fixed;
        if (fixes && suits(build) && (!newest || newest->cuda_major <= build.cuda_major))
            newest = &build;
    }
    return newest;
}

/// By what the documentation promises, else by the limits that it names.
Compatibility cudnn_runs_networks(
    Dtype dtype, const Version& cudnn, const Version& gpu, const Matrix& matrix) {
    const std::string_view type = name_of(dtype);
    if (matrix.requires_support(cudnn, gpu, type, name_of(Algorithm::standard)))
        return {};
    const auto limit = matrix.rnn_limit(type);
    if (limit && cudnn < limit->first)
        return {.fit = Fit::does_not_work, .why = "it needs cuDNN " + limit->first.text};
    if (limit && limit->capability_min && gpu < *limit->capability_min)
        return {
            .fit = Fit::does_not_work,
            .why = "it needs compute capability " + limit->capability_min->text,
        };
    return not_known("the tables do not contain it");
}

std::vector<std::string> defects_in_words(
    const Version& cudnn, const Version& gpu, const Matrix& matrix) {
    return mapped(matrix.rnn_defects(cudnn, gpu), &RnnDefect::symptom);
}

}  // namespace rnncheck::stack
