// What rnncheck says about itself while it works: to stderr only, and only when asked (-v) or when it matters.
#pragma once

#include <string_view>

namespace rnncheck::log {

enum class Level { quiet, normal, verbose };

void set_level(Level level);
void warn(std::string_view text);    ///< shown unless quiet
void detail(std::string_view text);  ///< shown with -v

}  // namespace rnncheck::log
