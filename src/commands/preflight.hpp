// The check of this machine before a command of the user is started.
#pragma once

#include <string>

#include "commands/doctor_options.hpp"

namespace rnncheck {

/// Checks in a separate process, so that nothing of it remains in this one, and prints the report
/// to standard error. Returns 0 if the command may be started; otherwise the exit code, after a
/// message that names the command.
int preflight(const DoctorOptions& options, const std::string& name);

/// The exit code for a command that cannot be started, after a message.
int cannot_start(const std::string& name, int error);

}  // namespace rnncheck
