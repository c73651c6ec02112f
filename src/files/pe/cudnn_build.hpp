// How a DLL of cuDNN was built. Written for hostile files.
#pragma once

#include "files/pe/pe_file.hpp"

namespace rnncheck::pe {

/// The version of one DLL of cuDNN, and the CUDA that it is for.
struct CudnnBuild {
    /// 9.10.2.21: of the version resource, else of a text inside
    std::optional<Version> version;
    /// 12 for one with GPU code, NVRTC or cuBLAS of CUDA 12
    std::optional<int> cuda_major;
};

/// Without values for what the file does not show. The front shows no CUDA version.
CudnnBuild cudnn_build(const Root& root, std::string_view path);

}  // namespace rnncheck::pe
