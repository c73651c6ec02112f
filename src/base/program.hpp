// Which rnncheck this is.
#pragma once

#include <string_view>

namespace rnncheck {

/// "0.1.0", from CMakeLists.txt.
std::string_view version_of_rnncheck();

}  // namespace rnncheck
