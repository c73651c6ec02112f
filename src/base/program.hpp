// This program: its version, its errors, its environment, and what
// it prints about its own work.
#pragma once

#include <chrono>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace rnncheck {

/// "0.1.0", from CMakeLists.txt.
std::string_view version_of_rnncheck();

/// The first digits of the commit it was built from; empty where that is unknown.
std::string_view commit_of_rnncheck();

/// "2026-11-23T13:04:09Z" (ISO 8601).
std::string utc_time(std::chrono::system_clock::time_point time);

// Our own failures. What the examined machine does wrong is data (facts), never
// an exception.

/// The command line requests something that does not exist or does not fit: exit code 2.
struct UsageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A file given to us cannot be used: one sentence with the file, the place in
/// it and what to do; exit code 2.
struct InputError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The value of a variable of this process's environment; unset and empty are two things.
inline std::optional<std::string> environment_variable(const char* name) {
    if (const char* const value = std::getenv(name))
        return value;
    return std::nullopt;
}

/// Its value if it names a directory by an absolute path, else nothing.
inline std::optional<std::string> directory_variable(const char* name) {
    auto value = environment_variable(name);
    if (!value || !value->starts_with('/'))
        return std::nullopt;
    return value;
}

}  // namespace rnncheck

/// Messages on stderr, with -v or if they matter.
namespace rnncheck::log {

enum class Level { quiet, normal, verbose };

void set_level(Level level);
void warn(std::string_view text);    ///< shown unless quiet
void detail(std::string_view text);  ///< shown with -v

}  // namespace rnncheck::log
