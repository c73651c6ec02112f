// Programs that a command line names.
#pragma once

#include <optional>
#include <string>

namespace rnncheck {

/// The first file of this name on PATH that may be executed, as a shell finds it; `name` without
/// '/'.
std::optional<std::string> find_in_path(const std::string& name);

/// The file that a command line begins with: a path, or a name on PATH. Nothing when there is none.
std::optional<std::string> program_of_command(const std::string& name);

/// The Python whose frameworks a command uses, for --python: the command itself, or what runs it as
/// a script (torchrun). Empty if the command does not show it, or is a name that the search on PATH
/// leads to anyway.
std::string python_of_command(const std::string& name);

}  // namespace rnncheck
