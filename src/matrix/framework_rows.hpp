// Published builds of frameworks and container images: what they contain and need.
#pragma once

#include "matrix/row.hpp"

namespace rnncheck {

/// One published build of a range of a framework's versions: what it was built with, where it takes
/// CUDA and cuDNN from, and how it is installed.
struct FrameworkBuild : Row {
    std::string framework;  ///< tensorflow, pytorch, jax, onnxruntime, paddlepaddle, ctranslate2,
                            ///< cupy, mxnet
    Version first;
    std::optional<Version> last;  ///< unset: `first` only; a last of 2.4 covers every 2.4.x
    std::string os;               ///< linux, windows, macos
    std::string build;  ///< the flavour's own word: cpu, cu121, cuda, directml; one row per flavour
    std::optional<Version> python_first;
    std::optional<Version> python_last;
    std::optional<Version> cuda;  ///< toolkit it is built with; unset: a build without CUDA
    std::optional<Version>
        cudnn;  ///< cuDNN it is built with or pins; unset: without one, or not known (note)
    bool without_cudnn = false;  ///< a build with CUDA that never opens cuDNN
    bool cudnn_or_newer =
        false;  ///< its packages need this cuDNN or a later one of its major: pip takes the newest
    std::string libraries;  ///< where CUDA and cuDNN come from: none, system, inside, wheels
    std::string targets;    ///< machine code inside, "sm_70 sm_80 compute_90"; "" when not known
    std::optional<Version> driver_min;  ///< oldest driver its documentation names for this OS
    std::string package;                ///< distribution: tensorflow, torch, onnxruntime-gpu
    std::string install;                ///< command; {version} means the version
    std::string
        after_install;  ///< what else has to be done before it finds its libraries; one sentence

    auto key() const {
        return std::tie(framework, first, os, build);
    }
    Series series() const {
        return {framework + " " + os + " " + build, first, last.value_or(first)};
    }
    static constexpr RangeColumns ranges[] = {
        {"version", "first", "last", RangeColumns::one_version},
        {"python", "python_first", "python_last"}};
    RNNCHECK_COLUMNS(
        framework,
        first,
        last,
        os,
        build,
        python_first,
        python_last,
        cuda,
        cudnn,
        without_cudnn,
        cudnn_or_newer,
        libraries,
        targets,
        driver_min,
        package,
        install,
        after_install)
    static constexpr std::string_view may_be_missing[] = {
        "without_cudnn", "cudnn_or_newer", "targets", "install", "after_install"};
};

/// What a container image of NVIDIA's holds, by its tag.
struct ContainerImage : Row {
    std::string image,
        tag;  ///< nvidia/cuda and 12.4.1-cudnn-runtime-ubuntu22.04; "*" means what varies
    std::string framework;  ///< as in FrameworkBuild::framework; "": none
    std::optional<Version>
        framework_version;  ///< what it calls itself may be a version to come: see note
    Version cuda;
    std::optional<Version> cudnn;
    std::optional<Version>
        driver_full;  ///< Linux driver that its CUDA came with; older ones run it with limits
    std::optional<Version> capability_min,
        capability_max;  ///< that NVIDIA names for a framework's image

    auto key() const {
        return std::tie(image, tag);
    }
    static constexpr RangeColumns ranges[] = {{"capability", "capability_min", "capability_max"}};
    RNNCHECK_COLUMNS(
        image,
        tag,
        framework,
        framework_version,
        cuda,
        cudnn,
        driver_full,
        capability_min,
        capability_max)
    static constexpr std::string_view may_be_missing[] = {"framework"};
};

/// The versions of a backend (TensorFlow, PyTorch, JAX) that a range of Keras versions works with,
/// as Keras' requirements or its own check at import name them. Keras 3 chooses the backend by
/// KERAS_BACKEND, or by ~/.keras/keras.json.
struct KerasBackend : Row {
    Version first;
    std::optional<Version> last;
    std::string backend;  ///< as in FrameworkBuild::framework
    std::optional<Version> backend_first;
    std::optional<Version> backend_last;

    auto key() const {
        return std::tie(first, backend);
    }
    Series series() const {
        return {backend, first, last};
    }
    static constexpr RangeColumns ranges[] = {
        {"version", "first", "last"}, {"backend_version", "backend_first", "backend_last"}};
    RNNCHECK_COLUMNS(first, last, backend, backend_first, backend_last)
};

/// The newest CUDA that official builds of a range of versions were made with, the old ones
/// included.
struct FrameworkCuda : Row {
    std::string framework;
    Version first, last, newest_cuda;
    int cudnn_major = 0;  ///< of the cuDNN it was built with

    auto key() const {
        return std::tie(framework, first);
    }
    Series series() const {
        return {framework, first, last};
    }
    RNNCHECK_COLUMNS(framework, first, last, newest_cuda, cudnn_major)
};

}  // namespace rnncheck
