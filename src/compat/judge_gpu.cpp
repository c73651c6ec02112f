#include <algorithm>

#include "base/text.hpp"
#include "matrix/ranges.hpp"
#include "compat/judge_build.hpp"

namespace rnncheck::planning {

namespace {

Part outside(const AskedGpu& gpu, const Matrix& matrix) {
    const Coverage coverage = gpu.architecture.coverage;
    const char* side = coverage == Coverage::newer_than_data   ? " is newer than the data of "
                       : coverage == Coverage::older_than_data ? " is older than the data of "
                                                               : " is not in the data of ";
    return {Fit::unknown, "compute capability " + gpu.capability.text + side + matrix.date(), {}, {}};
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

bool is_of(const CudnnBuild& row, const FrameworkBuild& build) {
    if (row.cuda_major != build.cuda->major()) return false;
    if (!build.cudnn) return true;
    const Version& last = row.cudnn_last ? *row.cudnn_last : row.cudnn;
    return agree(*build.cudnn, row.cudnn) || agree(*build.cudnn, last) ||
           (row.cudnn <= *build.cudnn && *build.cudnn <= last);
}

std::string name_of_cudnn(const FrameworkBuild& build) {
    return (build.cudnn ? "cuDNN " + release_in_words(*build.cudnn) : "cuDNN") + " for CUDA " +
           std::to_string(build.cuda->major());
}

Part judge_code(const FrameworkBuild& build, const AskedGpu& asked, const std::optional<Version>& driver,
                const Matrix& matrix) {
    if (!asked.architecture) return outside(asked, matrix);
    const Version& gpu = asked.capability;
    const std::vector<Target> targets = targets_of(build.targets);
    if (targets.empty()) return by_toolkit(build, *asked.architecture);
    const auto is_for_gpu = [&](const Target& target) { return runs_on(target, gpu); };
    if (std::any_of(targets.begin(), targets.end(), is_for_gpu)) return {};
    const auto can_be_compiled = [&](const Target& target) {
        return !target.machine_code && target.kind == 0 && target.capability <= gpu;
    };
    if (std::any_of(targets.begin(), targets.end(), can_be_compiled)) return by_ptx(build, driver, matrix);
    return {Fit::does_not_work, "it has code for " + in_words(targets) + ", not for " + gpu.text, {}, {}};
}

Part judge_cudnn(const FrameworkBuild& build, const AskedGpu& asked, const Matrix& matrix) {
    if (build.without_cudnn) return {};
    if (!asked.architecture) return outside(asked, matrix);
    const Version& gpu = asked.capability;
    Fit best = Fit::does_not_work, worst = Fit::works;
    std::string source;
    for (const CudnnBuild& row : matrix.cudnn_builds()) {
        if (!is_of(row, build)) continue;
        if (source.empty()) source = row.source.url;
        best = std::min(best, fit_of(row, gpu, *asked.architecture));
        worst = std::max(worst, fit_of(row, gpu, *asked.architecture));
    }
    if (source.empty()) return {Fit::unknown, name_of_cudnn(build) + " is not in the data", {}, {}};
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

/// Of a build whose own code is PTX alone: what keeps it from working although the driver could compile that. Seen with
/// TensorFlow's wheels on Blackwell: CUDA_ERROR_INVALID_PTX, CUDA_ERROR_INVALID_HANDLE
/// (https://github.com/tensorflow/tensorflow/issues/97387, 99592, 101746, 90291, 89272).
Part beside_ptx(const FrameworkBuild& build, const AskedGpu& asked, const Part& cudnn) {
    std::vector<std::string> lacking;
    std::vector<std::string> sources = cudnn.sources;
    if (*build.cuda < asked.architecture->first_cuda) {
        lacking.push_back("CUDA " + build.cuda->text);
        sources.push_back(asked.architecture->source.url);
    }
    if (build.cudnn && cudnn.fit == Fit::compiles_first) lacking.push_back("cuDNN " + release_in_words(*build.cudnn));
    if (lacking.empty()) return {};
    return {Fit::does_not_work,
            "it has PTX code alone for compute capability " + asked.capability.text + ", for which the libraries of " +
                listing(lacking) + " have no machine code",
            {},
            sources};
}

}  // namespace

GpuParts judge_gpu(const FrameworkBuild& build, const AskedGpu& gpu, const std::optional<Version>& driver,
                   const Matrix& matrix) {
    GpuParts parts{judge_code(build, gpu, driver, matrix), judge_cudnn(build, gpu, matrix)};
    if (parts.code.fit != Fit::compiles_first) return parts;
    if (Part lacking = beside_ptx(build, gpu, parts.cudnn); lacking.fit == Fit::does_not_work)
        parts.code = std::move(lacking);
    return parts;
}

}  // namespace rnncheck::planning
