// What a framework was built for, from the files that it brings. Nothing of it is executed.
#pragma once

#include "facts/packages.hpp"
#include "files/python/distributions.hpp"

namespace rnncheck::python {

/// A framework on disk: its distributions and the directory of packages that `import` takes it from.
struct Installed {
    std::string name;       ///< as in Framework::name
    std::string directory;  ///< the directory of packages
    std::vector<Distribution> distributions;
    std::vector<Distribution> plugins;
    bool brings_cudnn = false;  ///< one of NVIDIA's cuDNN wheels is in the same environment
};

/// Fills uses_cuda, told_by, build, core, cuda, cudnn, cudnn_wanted and targets; what the files do not tell stays
/// unset.
void read_framework_files(const Root& root, const Installed& installed, Framework& framework,
                          std::vector<std::string>& left_out);

}  // namespace rnncheck::python
