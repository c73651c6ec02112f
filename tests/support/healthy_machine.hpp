// A whole machine on which nothing is wrong: one RTX 3090, driver 550.54.14 (CUDA 12.4), CUDA 12.4,
// cuDNN 8.9.7, every probe finished, every RNN case right. Tests change one thing and see who
// notices.
#pragma once

#include <functional>

#include "facts/facts.hpp"

namespace rnncheck::test {

Facts a_healthy_machine();

/// The healthy machine with one change.
Facts but(const std::function<void(Facts&)>& change);

/// A machine of which nothing was determined.
inline Facts nothing_collected() {
    return {};
}

/// parse_version that must succeed.
Version v(std::string_view text);

}  // namespace rnncheck::test
