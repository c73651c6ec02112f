// What is compatible: driver and CUDA, code and GPU, cuDNN and CUDA, build and Python. Pure:
// versions and tables in, an answer with its reason and evidence out. Rules and plans only word the
// answers.
#pragma once

#include <functional>

#include "stack/conflict.hpp"
#include "stack/stack.hpp"

namespace rnncheck {

/// "9.1.0"; "9.x" where a major means all its versions.
std::string version_in_words(const Version& version);

}  // namespace rnncheck

namespace rnncheck::stack {

struct Compatibility {
    Fit fit = Fit::works;
    std::string why = {};  ///< one clause; usually empty if it works
    std::vector<Evidence> evidence = {};
    bool minor_version_only = false;  ///< it works by minor-version compatibility alone
    bool gpu_is_newer =
        false;             ///< why there is no machine code: the GPU is newer than it; else older
    bool outside = false;  ///< not known, because it is outside the tables
};

/// "cuDNN 9.99 is newer than the data of 2026-11-21", for an answer without a row.
std::string outside_data(const std::string& what, Coverage coverage, const Matrix& matrix);

/// The drivers of a CUDA version for "linux" or "windows".
Answer<DriverForCuda> drivers_for(const Version& cuda, const std::string& os, const Matrix& matrix);

/// The oldest driver that can run it, and the oldest with all its features; unset if not in the
/// data.
struct DriverRange {
    std::optional<Version> oldest, full;
};

/// By the drivers named for this CUDA. Of a branch ("535") its newest version counts.
Compatibility driver_runs_cuda(const Driver& driver, const Version& cuda, const Matrix& matrix);
/// The same if something other than CUDA also requires a driver.
Compatibility driver_runs_cuda(
    const Driver& driver, const Version& cuda, const DriverRange& drivers, const Matrix& matrix);

/// Of a build: its CUDA's drivers, and the oldest one that the framework's documentation names for
/// it.
Compatibility driver_runs_build(
    const Driver& driver, const FrameworkBuild& build, const Matrix& matrix);

/// NVIDIA's package that puts a newer libcuda over an older kernel driver, on GPUs of data centres
/// only.
struct CompatPackage {
    std::string name;
    std::string source;
};
std::optional<CompatPackage> compat_package(
    const Driver& driver,
    const Version& cuda,
    const std::optional<Version>& gpu,
    const Matrix& matrix);

/// Of a Jetson board: driver, CUDA and framework builds come with JetPack and follow no branch of
/// the tables.
bool any_jetson(const Stack& stack, const Matrix& matrix);

/// Whether the driver's branch still supports the GPU.
Compatibility driver_supports_gpu(const Version& driver, const Version& gpu, const Matrix& matrix);
/// Whether the GPU is not newer than the driver.
Compatibility driver_knows(const Version& driver, const Version& gpu, const Matrix& matrix);

/// Whether the libraries of a CUDA version have machine code for the GPU.
Compatibility cuda_on_gpu(const Version& cuda, const Version& gpu, const Matrix& matrix);
Compatibility cudnn_on_gpu(const CudnnBuild& build, const Version& gpu);
/// By targets as the tables write them ("sm_70 compute_90") alone; unknown where there are none.
Compatibility code_on_gpu(const std::string& targets, const Version& gpu);
/// A build's own code. PTX alone works only where the driver compiles it and the libraries of its
/// CUDA and cuDNN have code for the GPU: those of `loaded`, if it gets others than it was built
/// with.
Compatibility build_on_gpu(
    const FrameworkBuild& build,
    const Version& gpu,
    const Driver& driver,
    const Matrix& matrix,
    const FrameworkBuild* loaded = nullptr);
/// The cuDNN that a build bundles or requires; if unknown, every cuDNN for its CUDA.
Compatibility cudnn_of_build_on_gpu(
    const FrameworkBuild& build, const Version& gpu, const Matrix& matrix);
/// For a build whose packages require a cuDNN version or a later one, the first of these without
/// code for the GPU; null if there is none. pip installs the newest.
const CudnnBuild* newer_cudnn_without(
    const FrameworkBuild& build, const Version& gpu, const Matrix& matrix);
/// Where packages for a Jetson board are; its index depends on the generation
/// (https://github.com/pollen-robotics/microduck_rl/issues/38 for Thor).
std::string jetson_packages(const Version& capability);
/// Jetson Thor with CUDA 13, which runs the software of Arm servers.
bool is_jetson_as_server(const std::optional<Version>& capability, const Matrix& matrix);
/// Why no published build runs on this GPU's board; "" where builds for x86-64 or for Arm servers
/// do.
std::string no_board_of_builds(const Version& capability, const Matrix& matrix);
/// build_on_gpu() and cudnn_of_build_on_gpu() together.
Compatibility build_and_cudnn_on_gpu(
    const FrameworkBuild& build,
    const Version& gpu,
    const Driver& driver,
    const Matrix& matrix,
    const FrameworkBuild* loaded = nullptr);

/// Whether an installed CUDA has the files that a build opens. Since CUDA 11 their names contain
/// only the major version; before, it contained major and minor.
bool cuda_serves(const Version& cuda, const Version& built_for);

/// A cuDNN for something built with another: it must be of the same major, and of the same minor or
/// a later one. https://github.com/openxla/xla/blob/main/xla/stream_executor/cuda/cuda_dnn.cc
/// `framework` is its name, if it is a framework's build: JAX rejects cuDNN 9.10.0 alone.
enum class CudnnMatch { compatible, too_old, too_new };
CudnnMatch cudnn_match(
    const Version& cudnn, const Version& built_with, std::string_view framework = "");

/// What the packages of two builds in one environment do to each other.
enum class Together {
    fit,
    exclude,  ///< they require different versions of one cuDNN package, so pip installs only one of
              ///< them
    overwrite,  ///< their cuDNN packages, for different CUDA versions, have the same files
    unknown
};
Together together(const FrameworkBuild& a, const FrameworkBuild& b);

/// The newest cuDNN in the data that pip installs with a build whose packages allow newer ones, of
/// those with code for the GPU if one is known; null if they require one version.
const CudnnBuild* cudnn_by_pip(
    const FrameworkBuild& build, const std::optional<Version>& gpu, const Matrix& matrix);

/// Every build of a cuDNN version, by the CUDA major it is for.
std::vector<CudnnBuild> cudnn_builds_of(const Version& cudnn, const Matrix& matrix);
/// The first build of the major of `from`, for this CUDA major and from that version on, that no
/// longer has code for the GPU; null while all have.
const CudnnBuild* first_cudnn_without(
    const Version& gpu, const Version& from, int cuda_major, const Matrix& matrix);
/// "9.11" of 9.11.0: as the bound of a version specifier.
std::string as_bound(const Version& version);
/// Whether the version exists for this CUDA major version.
Compatibility cudnn_for_cuda(const Version& cudnn, int cuda_major, const Matrix& matrix);

/// The build for the newest CUDA, of the major in which the defect is fixed, from that version on,
/// that suits the GPU and the stack's CUDA and driver (of Linux); null when none does.
const CudnnBuild* fixed_cudnn(
    const RnnDefect& defect,
    const std::optional<Version>& gpu,
    const Stack& stack,
    const Matrix& matrix);

/// Whether a cuDNN supports recurrent networks of a data type on a GPU; `why` not, or why that is
/// unknown.
Compatibility cudnn_runs_networks(
    Dtype dtype, const Version& cudnn, const Version& gpu, const Matrix& matrix);
/// What fails in recurrent networks with this cuDNN on this GPU, as documented.
std::vector<std::string> defects_in_words(
    const Version& cudnn, const Version& gpu, const Matrix& matrix);

/// What is not known of the libraries that are installed.
struct OpenLibraries {
    bool cuda = false, cudnn = false;
};
/// For a build that fails on the GPU with the libraries of `loaded` and takes them from the system:
/// that those which are not known decide, if newer ones of the same majors have code for the GPU;
/// unset where they do not. The code of TensorFlow itself fails beside newer ones too
/// (https://github.com/tensorflow/tensorflow/issues/97387).
std::optional<Compatibility> decided_by_libraries(
    const FrameworkBuild& build,
    const FrameworkBuild& loaded,
    const Version& gpu,
    OpenLibraries open,
    const Matrix& matrix);

/// "cu124"; "gpu" of any build with CUDA, "cuda" of one whose packages contain it.
bool is_called(const FrameworkBuild& build, std::string_view name);
Compatibility build_for_python(const FrameworkBuild& build, const Version& python);

/// "nvcr.io/nvidia/pytorch:25.01-py3".
std::string name_of(const ContainerImage& image);
/// The row of this image and tag; a star at the end of a row's tag matches any rest. Null if the
/// tables have none.
const ContainerImage* image_named(std::string_view name, const Matrix& matrix);
/// What the tag of an image of Docker Hub or NGC that is in no row shows by itself. What is unset
/// is unknown.
struct TaggedImage {
    std::optional<Version> cuda;
    std::optional<bool> has_cudnn;
    std::string framework = {};
    std::optional<Version> framework_version = {};
    std::optional<std::string> build = {};  ///< as in FrameworkBuild::build
};
/// Unset if the text has not the form of an image's name and tag.
std::optional<TaggedImage> image_by_tag(const std::string& name);
/// The row of the stack's image; null if it has none, or one that is in no row.
const ContainerImage* image_of(const Stack& stack, const Matrix& matrix);
/// A framework's image has code for the GPUs that NVIDIA names for it; any other for those of its
/// CUDA.
Compatibility image_on_gpu(const ContainerImage& image, const Version& gpu, const Matrix& matrix);
/// Whether all GPUs of the stack are data center boards, if their names show it.
std::optional<bool> on_data_center_gpus(const Stack& stack, const Matrix& matrix);
/// By the driver itself, or on data center GPUs by the forward-compatibility package that NVIDIA's
/// images contain.
Compatibility driver_runs_image(
    const Driver& driver, const ContainerImage& image, const Stack& stack, const Matrix& matrix);
/// With the newest CUDA, of those wanted that run on every GPU of the stack with this driver; null
/// where none does.
const ContainerImage* newest_image(
    const Stack& stack,
    const Driver& driver,
    const Matrix& matrix,
    const std::function<bool(const ContainerImage&)>& is_wanted);
/// A build of conda-forge, not of the project itself.
bool is_of_conda(const FrameworkBuild& build);
/// The newest image of a framework of which no build of the project, of any version or system, runs
/// on this GPU; null where one does. `arm`: of the builds for Linux on Arm.
const ContainerImage* image_instead(
    const std::string& framework,
    const Version& gpu,
    const Driver& driver,
    const Matrix& matrix,
    bool arm = false);

/// As evidence: the build's row.
Evidence evidence_of(const FrameworkBuild& build, const std::string& value);

}  // namespace rnncheck::stack
