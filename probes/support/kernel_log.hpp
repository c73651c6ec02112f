// What the kernel has written into its log.
#pragma once

#include <optional>
#include <string>

#include "base/files.hpp"

namespace rnncheck::probes {

/// One record a line, of at most 8 MiB. Nothing where it may not be read.
std::optional<std::string> kernel_log(const Root& root);

}  // namespace rnncheck::probes
