// What was found in each layer, for checklist.cpp.
#pragma once

#include "facts/queries.hpp"
#include "report/text.hpp"

namespace rnncheck {

using Rows = std::vector<ChecklistRow>;

/// "Linux 6.1, glibc 2.36, x86_64"; "" where nothing is known.
std::string system_line(const Host& host);
/// Library and kernel module, with both versions where they differ, the CUDA
/// that the driver supports, and why cuInit failed.
Rows driver_rows(const Facts& facts);
/// Equal GPUs share a line: "8 x NVIDIA H100 80GB".
Rows gpu_lines(const Facts& facts);
/// What is known of GPUs that CUDA does not list.
Rows no_gpu_lines(const Facts& facts);
/// A row for each CUDA runtime that was opened: its version, and its path.
Rows cuda_lines(const Facts& facts);
/// `given`: of versions, of which no API is tested.
Rows cudnn_lines(const Facts& facts, bool given);
/// The files of a library that was not loaded, or that there is none of `what`.
Rows files_of(const Facts& facts, LibraryKind kind, const std::string& what);
/// Python and its frameworks, and what each order of import loads. `given`: of versions, which are
/// in no environment.
Rows framework_rows(const Facts& facts, bool given);

/// A framework of the environment that is evaluated loads a cuDNN that cannot be used.
bool some_cudnn_is_unusable(const Facts& facts);
/// What the mark of the line may claim: some framework that is evaluated has its cuDNN.
bool some_framework_finds_cudnn(const Facts& facts);

}  // namespace rnncheck
