// Which CUDA and cuDNN a build can use, and what its packages require of them.
#include "matrix/ranges.hpp"
#include "stack/builds.hpp"
#include "stack/questions.hpp"

namespace rnncheck::stack {

/// From CUDA 11 on the libraries keep their sonames within a major version;
/// before, each minor version had its own.
bool cuda_serves(const Version& cuda, const Version& built_for) {
    return cuda.major() == built_for.major() &&
           (cuda.major() >= 11 || cuda.minor() == built_for.minor());
}

namespace {

/// The plugin that it starts names this version, whose enumerations have other values than those
/// before and after: https://pypi.org/project/jax-cuda12-pjrt/0.12.0.1/,
/// jax_plugins/xla_cuda12/__init__.py
bool is_rejected_by_name(
    const Version& cudnn, const Version& built_with, std::string_view framework) {
    static const Version rejected = make_version({9, 10, 0});
    return framework == "jax" && parts_written(cudnn) > 2 && cudnn == rejected &&
           rejected < built_with;
}

}  // namespace

/// A major version changes the sonames; a later minor version keeps all
/// functions.
CudnnMatch cudnn_match(
    const Version& cudnn, const Version& built_with, std::string_view framework) {
    if (is_rejected_by_name(cudnn, built_with, framework))
        return CudnnMatch::too_old;
    if (cudnn.major() < built_with.major())
        return CudnnMatch::too_old;
    if (cudnn.major() > built_with.major())
        return CudnnMatch::too_new;
    const bool minors_known = parts_written(cudnn) > 1 && parts_written(built_with) > 1;
    if (minors_known && cudnn.minor() < built_with.minor())
        return CudnnMatch::too_old;
    return CudnnMatch::compatible;
}

namespace {

/// Its packages require a package of cuDNN.
bool requires_cudnn_package(const FrameworkBuild& build) {
    return build.libraries == "wheels" && build.cuda && !build.without_cudnn;
}

/// Of the same cuDNN package. One that requires a single version excludes every other.
Together by_required_versions(const FrameworkBuild& a, const FrameworkBuild& b) {
    if (a.cudnn_or_newer && b.cudnn_or_newer)
        return Together::fit;
    if (b.cudnn_or_newer)
        return by_required_versions(b, a);
    if (a.cudnn_or_newer) {
        if (cudnn_match(*b.cudnn, *a.cudnn, a.framework) == CudnnMatch::compatible)
            return Together::fit;
        return Together::exclude;
    }
    if (!agree(*a.cudnn, *b.cudnn))
        return Together::exclude;
    if (parts_written(*a.cudnn) == parts_written(*b.cudnn))
        return Together::fit;
    return Together::unknown;
}

}  // namespace

/// Of one CUDA both require the same package, nvidia-cudnn-cu12; of two,
/// packages that share the directory nvidia/cudnn if the cuDNN is of one major.
Together together(const FrameworkBuild& a, const FrameworkBuild& b) {
    if (!requires_cudnn_package(a) || !requires_cudnn_package(b))
        return Together::fit;
    if (!a.cudnn || !b.cudnn)
        return Together::unknown;
    const bool same_cudnn = a.cudnn->major() == b.cudnn->major();
    if (a.cuda->major() != b.cuda->major() && same_cudnn)
        return Together::overwrite;
    if (a.cuda->major() != b.cuda->major())
        return Together::fit;
    if (same_cudnn)
        return by_required_versions(a, b);
    return Together::exclude;
}

/// Where the metadata require "or later", pip takes the newest of the major.
const CudnnBuild* cudnn_by_pip(
    const FrameworkBuild& build, const std::optional<Version>& gpu, const Matrix& matrix) {
    if (!build.cudnn_or_newer || !build.cudnn)
        return nullptr;
    const CudnnBuild* newest = nullptr;
    for (const CudnnBuild& row : matrix.cudnn_builds()) {
        const bool is_meant =
            row.cuda_major == build.cuda->major() && row.cudnn.major() == build.cudnn->major();
        if (!is_meant || (gpu && *gpu < row.capability_min))
            continue;
        if (!newest || newest->last() < row.last())
            newest = &row;
    }
    return newest;
}

namespace {

/// With the first CUDA that has code for the GPU, and the newest cuDNN of the build's major, for
/// what is open.
FrameworkBuild with_newer_libraries(
    FrameworkBuild loaded, const Version& first_cuda, OpenLibraries open, const Matrix& matrix) {
    if (open.cuda && first_cuda.major() == loaded.cuda->major())
        loaded.cuda = std::max(*loaded.cuda, first_cuda);
    if (!open.cudnn || !loaded.cudnn)
        return loaded;
    for (const CudnnBuild& row : matrix.cudnn_builds())
        if (row.cuda_major == loaded.cuda->major() && row.cudnn.major() == loaded.cudnn->major())
            loaded.cudnn = std::max(*loaded.cudnn, row.cudnn);
    return loaded;
}

}  // namespace

std::optional<Compatibility> decided_by_libraries(
    const FrameworkBuild& build,
    const FrameworkBuild& loaded,
    const Version& gpu,
    OpenLibraries open,
    const Matrix& matrix) {
    const auto row = matrix.architecture(gpu);
    if (!takes_system_libraries(build) || build.framework == "tensorflow" || !row)
        return std::nullopt;
    if (!open.cuda && !(open.cudnn && loaded.cudnn))
        return std::nullopt;
    const FrameworkBuild newer = with_newer_libraries(loaded, row->first_cuda, open, matrix);
    const auto fails_with = [&](const FrameworkBuild& libraries) {  // whatever the driver
        return build_and_cudnn_on_gpu(build, gpu, {}, matrix, &libraries).fit == Fit::does_not_work;
    };
    if (!fails_with(loaded) || fails_with(newer))
        return std::nullopt;
    std::string cudnn;
    if (newer.cudnn != loaded.cudnn)
        cudnn = " and a cuDNN such as " + newer.cudnn->text;
    return Compatibility{
        .fit = Fit::unknown,
        .why = "it has PTX code alone for compute capability " + gpu.text +
               ", which runs beside installed libraries with code for it: those of CUDA " +
               row->first_cuda.text + " or later" + cudnn,
    };
}

}  // namespace rnncheck::stack
