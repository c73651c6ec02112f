// How a DLL of cuDNN was built. Written for hostile files.
#pragma once

#include "files/pe/pe_file.hpp"

namespace rnncheck::pe {

struct CudnnBuild {
    std::optional<Version> version;  ///< 9.10.2.21: of the version resource, else of a text inside
    std::optional<int> cuda_major;   ///< 12 for one with GPU code, NVRTC or cuBLAS of CUDA 12
};

/// Without values for what the file does not show. The front shows no CUDA version.
CudnnBuild cudnn_build(const Root& root, std::string_view path);

}  // namespace rnncheck::pe
