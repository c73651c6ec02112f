// The rows of the tables about frameworks.
#pragma once

#include "matrix/rows.hpp"

namespace rnncheck {

/// One published build of a range of a framework's releases: what it was built with, where it takes CUDA and cuDNN
/// from, and how it is installed.
struct FrameworkBuild : Row {
    std::string framework;  ///< tensorflow, pytorch, jax, onnxruntime, paddlepaddle, ctranslate2, cupy, mxnet
    Version first;
    std::optional<Version> last;  ///< unset: `first` only; a last of 2.4 covers every 2.4.x
    std::string os;               ///< linux, windows, macos
    std::string build;            ///< the flavour's own word: cpu, cu121, cuda, directml; one row per flavour
    std::optional<Version> python_first;
    std::optional<Version> python_last;
    std::optional<Version> cuda;        ///< toolkit it is built with; unset: a build without CUDA
    std::optional<Version> cudnn;       ///< cuDNN it is built with or pins; unset: without one, or not known (note)
    bool without_cudnn = false;         ///< a build with CUDA that never opens cuDNN
    std::string libraries;              ///< where CUDA and cuDNN come from: none, system, inside, wheels
    std::string targets;                ///< machine code inside, "sm_70 sm_80 compute_90"; "" when not known
    std::optional<Version> driver_min;  ///< oldest driver its documentation names for this OS
    std::string package;                ///< distribution: tensorflow, torch, onnxruntime-gpu
    std::string install;                ///< command; {version} stands for the release
};

/// Oldest release of a backend that a range of Keras releases works with.
struct KerasBackend : Row {
    Version first;
    std::optional<Version> last;
    std::string backend;  ///< as in FrameworkBuild::framework
    std::optional<Version> backend_first;
    std::optional<Version> backend_last;
};

}  // namespace rnncheck
