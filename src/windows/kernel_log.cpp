#include "support/kernel_log.hpp"

namespace rnncheck::probes {

/// Windows has no such log; the Event Viewer has the driver's messages.
std::optional<std::string> kernel_log(const Root&) {
    return std::nullopt;
}

}  // namespace rnncheck::probes
