#include <algorithm>

#include "base/text.hpp"
#include "matrix/ranges.hpp"
#include "matrix/targets.hpp"
#include "plan/judge_build.hpp"

namespace rnncheck::planning {

namespace {

Part outside(const Version& gpu, Coverage coverage, const Matrix& matrix) {
    const char* side = coverage == Coverage::newer_than_data   ? " is newer than the data of "
                       : coverage == Coverage::older_than_data ? " is older than the data of "
                                                               : " is not in the data of ";
    return {Fit::unknown, "compute capability " + gpu.text + side + matrix.date(), {}, {}};
}

/// Without a list of targets only the toolkit speaks, and only against the build: what it could compile for does not
/// tell what was compiled.
Part by_toolkit(const FrameworkBuild& build, const Architecture& architecture) {
    const std::string name = architecture.name + " (" + architecture.capability.text + ")";
    if (architecture.last_cuda && *architecture.last_cuda < *build.cuda)
        return {Fit::does_not_work,
                "CUDA " + build.cuda->text + " has no code for " + name + "; CUDA " + architecture.last_cuda->text +
                    " was the last",
                {},
                {architecture.source.url}};
    if (architecture.first_cuda.major() > build.cuda->major())
        return {Fit::does_not_work,
                "CUDA " + build.cuda->text + " has no code for " + name + "; CUDA " + architecture.first_cuda.text +
                    " was the first",
                {},
                {architecture.source.url}};
    return {Fit::unknown, "for which GPUs it has code is not in the data", {}, {}};
}

/// The driver compiles PTX made by its own CUDA or an older one.
Part by_ptx(const FrameworkBuild& build, const std::optional<Version>& driver, const Matrix& matrix) {
    Part part{
        Fit::compiles_first, "", {"has no machine code for this GPU: the driver compiles PTX at the first use"}, {}};
    if (!driver) return part;
    const auto of_driver = matrix.cuda_of_driver(*driver);
    if (of_driver.coverage == Coverage::newer_than_data) return part;
    if (!of_driver) return {Fit::unknown, "which CUDA driver " + driver->text + " supports is not in the data", {}, {}};
    if (of_driver->cuda < *build.cuda)
        return {Fit::does_not_work,
                "it has PTX code alone for this GPU, made by CUDA " + build.cuda->text +
                    ", newer than the driver's CUDA " + of_driver->cuda.text,
                {},
                {of_driver->source.url}};
    return part;
}

std::string in_words(const std::vector<Target>& targets) {
    std::vector<std::string> capabilities;
    for (const Target& target : targets)
        if (target.machine_code) capabilities.push_back(target.capability.text);
    return capabilities.empty() ? "PTX alone" : listing(capabilities);
}

/// cuDNN 9 for CUDA 12 and later holds PTX as well.
/// https://docs.nvidia.com/deeplearning/cudnn/backend/latest/developer/forward-compatibility.html
bool holds_ptx(const CudnnBuild& row) {
    return row.cudnn.major() >= 9 && row.cuda_major >= 12;
}

Fit fit_of(const CudnnBuild& row, const Version& gpu, const Architecture& architecture) {
    if (gpu < row.capability_min || architecture.first_cuda.major() > row.cuda_major) return Fit::does_not_work;
    if (gpu.major() <= row.capability_max.major()) return Fit::works;
    return holds_ptx(row) ? Fit::compiles_first : Fit::does_not_work;
}

std::vector<CudnnBuild> rows_for(const FrameworkBuild& build, const Matrix& matrix) {
    std::vector<CudnnBuild> rows = matrix.cudnn_builds(build.cuda->major());
    if (!build.cudnn) return rows;
    std::erase_if(rows, [&](const CudnnBuild& row) {
        const Version& last = row.cudnn_last ? *row.cudnn_last : row.cudnn;
        return !agree(*build.cudnn, row.cudnn) && !agree(*build.cudnn, last) &&
               !(row.cudnn <= *build.cudnn && *build.cudnn <= last);
    });
    return rows;
}

std::string name_of_cudnn(const FrameworkBuild& build) {
    return (build.cudnn ? "cuDNN " + build.cudnn->text : "cuDNN") + " for CUDA " + std::to_string(build.cuda->major());
}

}  // namespace

Part judge_code(const FrameworkBuild& build, const Version& gpu, const std::optional<Version>& driver,
                const Matrix& matrix) {
    const auto architecture = matrix.architecture(gpu);
    if (!architecture) return outside(gpu, architecture.coverage, matrix);
    const std::vector<Target> targets = targets_of(build.targets);
    if (targets.empty()) return by_toolkit(build, *architecture);
    const auto is_for_gpu = [&](const Target& target) { return runs_on(target, gpu); };
    if (std::any_of(targets.begin(), targets.end(), is_for_gpu)) return {};
    const auto can_be_compiled = [&](const Target& target) {
        return !target.machine_code && target.kind == 0 && target.capability <= gpu;
    };
    if (std::any_of(targets.begin(), targets.end(), can_be_compiled)) return by_ptx(build, driver, matrix);
    return {Fit::does_not_work, "it has code for " + in_words(targets) + ", not for " + gpu.text, {}, {}};
}

Part judge_cudnn(const FrameworkBuild& build, const Version& gpu, const Matrix& matrix) {
    const auto architecture = matrix.architecture(gpu);
    if (!architecture) return outside(gpu, architecture.coverage, matrix);
    const std::vector<CudnnBuild> rows = rows_for(build, matrix);
    if (rows.empty()) return {Fit::unknown, name_of_cudnn(build) + " is not in the data", {}, {}};
    Fit best = Fit::does_not_work, worst = Fit::works;
    for (const CudnnBuild& row : rows) {
        best = std::min(best, fit_of(row, gpu, *architecture));
        worst = std::max(worst, fit_of(row, gpu, *architecture));
    }
    const std::string source = rows.front().source.url;
    if (best == Fit::does_not_work)
        return {best, name_of_cudnn(build) + " has no code for compute capability " + gpu.text, {}, {source}};
    if (!build.cudnn && worst == Fit::does_not_work)
        return {Fit::unknown,
                "its cuDNN is not in the data, and not every one for CUDA " + std::to_string(build.cuda->major()) +
                    " has code for " + gpu.text,
                {},
                {}};
    Part part{build.cudnn ? best : worst, "", {}, {source}};
    if (part.fit == Fit::compiles_first)
        part.notes.push_back(name_of_cudnn(build) +
                             " is older than this GPU: the driver compiles its PTX at the first use");
    return part;
}

}  // namespace rnncheck::planning
