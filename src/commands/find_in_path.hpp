// Programs on PATH.
#pragma once

#include <optional>
#include <string>

namespace rnncheck {

/// The first file of this name on PATH that may be executed, as a shell finds it; `name` without '/'.
std::optional<std::string> find_in_path(const std::string& name);

}  // namespace rnncheck
