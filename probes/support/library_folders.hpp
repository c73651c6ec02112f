// Where GPU libraries lie beside the loader's own places: toolkits, Python wheels, conda. The folders named need not
// exist, and several names may mean one folder.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/files.hpp"

namespace rnncheck::probes {

/// lib64, lib, targets/*/lib and the forward-compatibility folders of every CUDA toolkit.
std::vector<std::string> toolkit_folders(const Root& root);

/// site-packages/nvidia/*/lib and torch/lib of the Python installations that would be used here; where one was asked for,
/// of that one first.
std::vector<std::string> wheel_folders(const Root& root, const std::optional<std::string>& asked_python = {});

/// The library folder of the active conda environment, or of the one that was asked for.
std::vector<std::string> conda_folders(const Root& root, const std::optional<std::string>& asked_python = {});

}  // namespace rnncheck::probes
