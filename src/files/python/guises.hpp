// The names under which frameworks are published.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rnncheck::packages {

struct Guise {
    std::string framework;  ///< as in Framework::name
    std::string build;      ///< what the name alone says: cpu, cuda, rocm, directml, cu112; "" says nothing
    bool plugin = false;    ///< extends a framework that is another distribution
};

/// By a normalised name: "tensorflow-cpu", "jax-cuda12-plugin", "cupy-cuda12x".
std::optional<Guise> guise_of(std::string_view distribution);

/// The folder that `import` finds, below a folder of packages: "torch" for pytorch.
std::string_view module_of(std::string_view framework);

/// One of NVIDIA's wheels with libraries that recurrent networks use: cuDNN, cuBLAS, the runtime, NVRTC.
bool is_library_wheel(std::string_view distribution);

/// nvidia-cudnn-cu12 is for CUDA 12.
std::optional<int> cuda_major_of(std::string_view distribution);

}  // namespace rnncheck::packages
