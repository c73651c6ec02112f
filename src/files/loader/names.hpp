// Which library names concern the GPU.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/files.hpp"

namespace rnncheck::which {

/// The driver's libraries, CUDA's, cuDNN and its parts, NCCL and TensorRT, as libNAME.so[.NUMBERS]; zlib too, without
/// which cuDNN does not load.
bool concerns_gpu(std::string_view name);

/// One of those that programs open by name: libcuda, libnvidia-ml, libcudart, libcudnn, libcublas, libcublasLt,
/// libnvrtc; with a number behind .so.
bool is_opened_by_programs(std::string_view name);

/// "libcudnn.so.9", not one of its parts, and "libcudnn_ops.so.9".
bool is_cudnn(std::string_view name);
bool is_part_of_cudnn(std::string_view name);

/// What cuDNN `name`, opened as `path`, opens by name: its parts, told by the files beside it and by the names inside
/// it. cuDNN 9 holds them without the number, which is its own then.
std::vector<std::string> parts_of_cudnn(const Root& root, const std::string& name, const std::string& path,
                                        const std::vector<std::string>& names_inside);

}  // namespace rnncheck::which
