// Remedies that install NVIDIA's Python packages for a framework. Pure.
#pragma once

#include "rules/support/installed.hpp"

namespace rnncheck::rules {

/// NVIDIA's Python packages lie where the framework looks for its libraries: among its own directories, or its metadata
/// asks for them.
bool reaches_wheels(const Framework& framework);

/// The remedy with the commands that install the cuDNN package which the framework's metadata asks for, or one that
/// serves it. Where it never looks among Python packages, the text and the commands say how it finds one all the same.
Remedy installing_cudnn(const Facts& facts, const Framework& framework, Remedy remedy);

/// The same with cuBLAS and the runtime of the CUDA that the framework was built for; no commands where that is not
/// known.
Remedy installing_cublas(const Facts& facts, const Framework& framework, Remedy remedy);

}  // namespace rnncheck::rules
