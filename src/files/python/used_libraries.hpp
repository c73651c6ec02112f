// Which cuDNN and cuBLAS glibc's loader would give the frameworks of a Python environment.
#pragma once

#include "files/loader/process.hpp"
#include "files/python/frameworks.hpp"

namespace rnncheck::python {

/// Fills libraries, directories_before and directories_after of a framework with CUDA.
/// `packages` are the environment's, for the versions of the libraries in wheels.
void find_used_libraries(
    const loader::Loader& loader, const std::vector<PythonPackage>& packages, Framework& framework);

/// Each pair of those frameworks that open cuDNN, in both orders of import,
/// predicted by playing the loader through. Empty when fewer than two open one.
/// The imports come first, then the first use of the GPU in the same order.
std::vector<ImportOrder> import_orders_of(
    const loader::Loader& loader,
    const PythonEnvironment& environment,
    const std::vector<Framework>& frameworks);

}  // namespace rnncheck::python
