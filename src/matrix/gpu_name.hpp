// Names of GPUs as people and drivers write them. May not know any GPU: that is the table's business.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace rnncheck {

/// A name taken apart. Vendor, memory size, form factor, "Laptop GPU" and "Max-Q" are left out: they never change the
/// compute capability. "Ti", "SUPER", "M" and the like belong to the model.
struct GpuName {
    std::set<std::string> brands;       ///< "geforce", "rtx", "tesla", "jetson": people leave them out
    std::string model;                  ///< "3090ti", "k80", "titanx", "orinnano"; empty: no name of a GPU
    std::set<std::string> generations;  ///< "ada", "blackwell", "edition": people leave them out as well
};

/// Case, spaces, hyphens and marks make no difference: "rtx3090" is "RTX 3090".
GpuName gpu_name(std::string_view written);

/// The product has the model and everything else that was written.
bool may_mean(const GpuName& written, const GpuName& product);

/// The same name without the product line (GeForce, Quadro, Tesla), which people mix up: there is no "Tesla A100".
GpuName without_line(GpuName name);

}  // namespace rnncheck
