// NVIDIA's container images: which one a name means, and whether it runs.
#include <re2/re2.h>

#include <algorithm>

#include "base/text.hpp"
#include "stack/builds.hpp"
#include "stack/questions.hpp"

namespace rnncheck::stack {

std::string name_of(const ContainerImage& image) {
    return image.image + ":" + image.tag;
}

/// The row of an image; one whose tag ends with '*' is of all tags that begin
/// so.
const ContainerImage* image_named(std::string_view name, const Matrix& matrix) {
    return find_where(matrix.container_images(), [&](const ContainerImage& row) {
        const std::string known = name_of(row);
        if (known.ends_with('*'))
            return name.starts_with(known.substr(0, known.size() - 1));
        return name == known;
    });
}

namespace {

/// "nvidia/cuda:12.4.1-base-ubuntu22.04", "11.8.0-cudnn8-devel-ubuntu22.04": only a tag with
/// "cudnn" contains cuDNN (https://hub.docker.com/r/nvidia/cuda).
std::optional<TaggedImage> cuda_image(const std::string& name) {
    static const LazyRE2 form = {
        R"((?:docker\.io/|nvcr\.io/)?nvidia/cuda(?:-arm64)?:([0-9]+\.[0-9]+(?:\.[0-9]+)?))"
        R"((-cudnn[0-9]*)?-(?:base|runtime|devel)(?:-.*)?)"};
    std::string cuda, cudnn;
    if (!re2::RE2::FullMatch(name, *form, &cuda, &cudnn))
        return std::nullopt;
    return TaggedImage{.cuda = parse_version(cuda), .has_cudnn = !cudnn.empty()};
}

/// "tensorflow/tensorflow:2.15.0-gpu": without "gpu" the CPU build
/// (https://www.tensorflow.org/install/docker).
std::optional<TaggedImage> tensorflow_image(const std::string& name) {
    static const LazyRE2 form = {
        R"((?:docker\.io/)?tensorflow/tensorflow:([0-9]+\.[0-9]+(?:\.[0-9]+)?))"
        R"((-gpu)?(?:-py3)?(?:-jupyter)?)"};
    std::string version, gpu;
    if (!re2::RE2::FullMatch(name, *form, &version, &gpu))
        return std::nullopt;
    std::string build = "cuda";
    if (gpu.empty())
        build = "cpu";
    return TaggedImage{
        .cuda = {},
        .has_cudnn = !gpu.empty(),
        .framework = "tensorflow",
        .framework_version = parse_version(version),
        .build = build};
}

/// "pytorch/pytorch:2.4.0-cuda12.1-cudnn9-runtime": PyTorch's own build for that CUDA
/// (https://github.com/pytorch/pytorch/blob/main/.github/workflows/docker-release.yml).
std::optional<TaggedImage> pytorch_image(const std::string& name) {
    static const LazyRE2 form = {R"((?:docker\.io/)?pytorch/pytorch:([0-9]+\.[0-9]+(?:\.[0-9]+)?))"
                                 R"(-cuda([0-9]+)\.([0-9]+)-cudnn[0-9]+-(?:runtime|devel))"};
    std::string version, major, minor;
    if (!re2::RE2::FullMatch(name, *form, &version, &major, &minor))
        return std::nullopt;
    return TaggedImage{
        .cuda = {},
        .has_cudnn = true,
        .framework = "pytorch",
        .framework_version = parse_version(version),
        .build = "cu" + major + minor};
}

/// "nvcr.io/nvidia/pytorch:26.06-py3": which framework, and nothing else.
std::optional<TaggedImage> any_image(const std::string& name, const LazyRE2& form) {
    if (!re2::RE2::FullMatch(name, *form))
        return std::nullopt;
    TaggedImage image;
    for (const std::string_view framework :
         {"pytorch", "tensorflow", "jax", "mxnet", "paddlepaddle"})
        if (contains(name, "nvidia/" + std::string(framework) + ":"))
            image.framework = framework;
    return image;
}

}  // namespace

/// By what the makers of images promise about their tags.
std::optional<TaggedImage> image_by_tag(const std::string& name) {
    static const LazyRE2 form = {
        R"((?:[a-z0-9._-]+(?::[0-9]+)?/)*[a-z0-9._-]+:[a-z0-9_][a-z0-9._-]*|.+@sha256:[0-9a-f]+)"};
    if (auto image = cuda_image(name))
        return image;
    if (auto image = tensorflow_image(name))
        return image;
    if (auto image = pytorch_image(name))
        return image;
    return any_image(name, form);
}

const ContainerImage* image_of(const Stack& stack, const Matrix& matrix) {
    if (stack.image.empty())
        return nullptr;
    return image_named(stack.image, matrix);
}

/// Its CUDA has to have code for the GPU, and its framework has to be built for
/// it.
Compatibility image_on_gpu(const ContainerImage& image, const Version& gpu, const Matrix& matrix) {
    Compatibility cuda = cuda_on_gpu(image.cuda, gpu, matrix);
    if (cuda.fit != Fit::works || image.framework.empty())
        return cuda;
    const std::string name = name_of(image);
    if (!image.capability_min || !image.capability_max ||
        gpu.major() > image.capability_max->major())
        return {
            .fit = Fit::unknown,
            .why = "whether " + name + " has code for " + gpu.text + " is not in the data"};
    const Evidence named{
        name, "compute capability " + image.capability_min->text + " and later", image.source.url};
    if (gpu < *image.capability_min)
        return {
            .fit = Fit::does_not_work,
            .why = name + " is not for compute capability " + gpu.text,
            .evidence = {named}};
    cuda.evidence.push_back(named);
    return cuda;
}

/// Unset where a GPU has no name or one that is not in the table.
std::optional<bool> on_data_center_gpus(const Stack& stack, const Matrix& matrix) {
    bool all_named = !stack.gpus.empty();
    for (const Gpu& gpu : stack.gpus) {
        const auto product = matrix.gpu_product(gpu.name.value_or(""));
        if (product && !product->data_center)
            return false;
        all_named &= static_cast<bool>(product);
    }
    if (!all_named)
        return std::nullopt;
    return true;
}

/// NVIDIA's images contain the forward-compatibility package of their CUDA,
/// which runs on older drivers of data center GPUs.
Compatibility driver_runs_image(
    const Driver& driver, const ContainerImage& image, const Stack& stack, const Matrix& matrix) {
    Compatibility answer = driver_runs_cuda(driver, image.cuda, matrix);
    const auto data_center = on_data_center_gpus(stack, matrix);
    const auto package = compat_package(driver, image.cuda, {}, matrix);
    if (answer.fit != Fit::does_not_work || !package || data_center == false)
        return answer;
    const std::string runs = "the image's forward-compatibility package " + package->name +
                             " runs it on driver " + driver.version->text;
    if (!data_center)
        return {
            .fit = Fit::unknown, .why = "it depends on the GPU: only on data center GPUs, " + runs};
    return {
        .fit = Fit::works,
        .why = runs,
        .evidence = {{package->name, "in the image", package->source}}};
}

/// Later rows are later images: of equal CUDA the last one counts.
const ContainerImage* newest_image(
    const Stack& stack,
    const Driver& driver,
    const Matrix& matrix,
    const std::function<bool(const ContainerImage&)>& is_wanted) {
    const auto has_code = [&](const ContainerImage& image, const Version& gpu) {
        return image_on_gpu(image, gpu, matrix).fit == Fit::works &&
               std::ranges::none_of(matrix.cudnn_builds(), [&](const CudnnBuild& row) {
                   return image.cudnn && row.cuda_major == image.cuda.major() &&
                          may_be_of(row, *image.cudnn) &&
                          cudnn_on_gpu(row, gpu).fit == Fit::does_not_work;
               });
    };
    const auto runs = [&](const ContainerImage& image) {
        return std::ranges::all_of(
                   stack.gpus,
                   [&](const Gpu& gpu) {
                       return !gpu.capability || has_code(image, *gpu.capability);
                   }) &&
               (!driver.version ||
                driver_runs_image(driver, image, stack, matrix).fit == Fit::works);
    };
    const ContainerImage* newest = nullptr;
    for (const ContainerImage& image : matrix.container_images())
        if (is_wanted(image) && runs(image) && (!newest || newest->cuda <= image.cuda))
            newest = &image;
    return newest;
}

bool is_of_conda(const FrameworkBuild& build) {
    return build.install.starts_with("conda ");
}

/// NVIDIA builds its images for GPUs that the projects' packages no longer
/// support, or do not support yet.
const ContainerImage* image_instead(
    const std::string& framework,
    const Version& gpu,
    const Driver& driver,
    const Matrix& matrix,
    bool arm) {
    const auto may_run = [&](const FrameworkBuild& build) {
        return build.framework == framework && build.cuda && !is_of_conda(build) &&
               build_and_cudnn_on_gpu(build, gpu, {}, matrix).fit != Fit::does_not_work;
    };
    if (std::ranges::any_of(published_builds(arm, matrix), may_run))
        return nullptr;
    Stack on_gpu;
    on_gpu.gpus.push_back({.capability = known_capability(gpu, matrix)});
    return newest_image(on_gpu, driver, matrix, [&](const ContainerImage& image) {
        return image.framework == framework;
    });
}

}  // namespace rnncheck::stack
