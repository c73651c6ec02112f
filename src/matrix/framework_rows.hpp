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

    auto key() const { return std::tie(framework, first, os, build); }
    Series series() const { return {framework + " " + os + " " + build, first, last.value_or(first)}; }
    static constexpr RangeColumns ranges[] = {{"version", "first", "last", RangeColumns::one_release},
                                              {"python", "python_first", "python_last"}};
    static void fields(auto& self, auto&& visit) {
        visit("framework", self.framework);
        visit("first", self.first);
        visit("last", self.last);
        visit("os", self.os);
        visit("build", self.build);
        visit("python_first", self.python_first);
        visit("python_last", self.python_last);
        visit("cuda", self.cuda);
        visit("cudnn", self.cudnn);
        visit("without_cudnn", self.without_cudnn, may_be_missing);
        visit("libraries", self.libraries);
        visit("targets", self.targets, may_be_missing);
        visit("driver_min", self.driver_min);
        visit("package", self.package);
        visit("install", self.install, may_be_missing);
    }
};

/// Oldest release of a backend that a range of Keras releases works with.
struct KerasBackend : Row {
    Version first;
    std::optional<Version> last;
    std::string backend;  ///< as in FrameworkBuild::framework
    std::optional<Version> backend_first;
    std::optional<Version> backend_last;

    auto key() const { return std::tie(first, backend); }
    Series series() const { return {backend, first, last}; }
    static constexpr RangeColumns ranges[] = {{"version", "first", "last"},
                                              {"backend_version", "backend_first", "backend_last"}};
    static void fields(auto& self, auto&& visit) {
        visit("first", self.first);
        visit("last", self.last);
        visit("backend", self.backend);
        visit("backend_first", self.backend_first);
        visit("backend_last", self.backend_last);
    }
};

/// The newest CUDA that official builds of a range of releases were made with, the old ones included.
struct FrameworkCuda : Row {
    std::string framework;
    Version first;
    Version last;
    Version newest_cuda;
    int cudnn_major = 0;  ///< of the cuDNN it was built with

    auto key() const { return std::tie(framework, first); }
    Series series() const { return {framework, first, last}; }
    static void fields(auto& self, auto&& visit) {
        visit("framework", self.framework);
        visit("first", self.first);
        visit("last", self.last);
        visit("newest_cuda", self.newest_cuda);
        visit("cudnn_major", self.cudnn_major);
    }
};

}  // namespace rnncheck
