// Variables of this process's environment.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace rnncheck {

/// The variable's value; unset and empty are two things.
inline std::optional<std::string> environment_variable(const char* name) {
    const char* const value = std::getenv(name);
    return value ? std::optional<std::string>(value) : std::nullopt;
}

/// Its value if it names a directory by an absolute path, else nothing.
inline std::optional<std::string> directory_variable(const char* name) {
    auto value = environment_variable(name);
    return value && value->starts_with('/') ? value : std::nullopt;
}

}  // namespace rnncheck
