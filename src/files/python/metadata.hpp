// What distributions tell of themselves: their names, and the headers of METADATA or PKG-INFO, which are those of an
// e-mail (PEP 566, core metadata).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/version.hpp"

namespace rnncheck::python {

/// Takes the first line off a text.
std::string_view take_line(std::string_view& text);

/// "2.4.1+cu121", "2.15.0.post1", "2.18.0rc1": the numbers at its beginning.
std::optional<Version> leading_version(std::string_view text);

/// "nvidia-cudnn-cu12 (==8.9.4.25) ; extra == 'and-cuda'".
struct Requirement {
    std::string name;    ///< normalised
    std::string bounds;  ///< "==8.9.4.25", ">=9.1,<10.0"; empty for any version
    std::string extra;   ///< the extra it belongs to; empty for none
};

struct Metadata {
    std::string name;  ///< normalised
    std::string version;
    std::vector<Requirement> needs;
};

/// As PEP 503 compares names: lower case, each run of '-', '_' and '.' one '-'.
std::string normalised(std::string_view name);

/// The headers end at the first empty line; what is no header is passed over.
Metadata read_metadata(std::string_view text);

/// The part of a requirement's line behind "Requires-Dist:".
Requirement read_requirement(std::string_view text);

/// What the name of a distribution alone says.
struct DistributionName {
    std::string framework;  ///< as in Framework::name
    std::string build;      ///< what the name alone says: cpu, cuda, rocm, directml, cu112; "" says nothing
    bool plugin = false;    ///< extends a framework that is another distribution
};

/// By a normalised name: "tensorflow-cpu", "jax-cuda12-plugin", "cupy-cuda12x".
std::optional<DistributionName> parse_distribution_name(std::string_view distribution);

/// The directory that `import` finds, below a directory of packages: "torch" for pytorch.
std::string_view module_of(std::string_view framework);

/// One of NVIDIA's wheels with libraries that recurrent networks use: cuDNN, cuBLAS, the runtime, NVRTC.
bool is_library_wheel(std::string_view distribution);

/// nvidia-cudnn-cu12 is for CUDA 12.
std::optional<int> cuda_major_of(std::string_view distribution);

}  // namespace rnncheck::python
