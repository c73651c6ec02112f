// A command of the command line. Connects the other modules; contains no logic worth testing.
#pragma once

#include <functional>
#include <span>

#include "base/directory_list.hpp"

namespace CLI {
class App;
}

namespace rnncheck {

/// Exit codes, the same in every format. `usage` also means a file or stdout that could not be
/// written. The last three are those of `exec`, with 126 and 127 as shells have them.
enum Exit {
    healthy = 0,
    problem = 1,
    usage = 2,
    undetermined = 3,
    warned = 4,
    bug = 70,
    stopped = 125,
    not_executable = 126,
    not_found = 127,
};

struct Command {
    /// Declares the options on `app`; the returned function runs the command and gives the exit
    /// code.
    std::function<int()> (*declare)(CLI::App& app);
};

/// Every file of src/commands/list/, by name.
std::span<const Named<Command>> all_commands();

/// The text file of a command: x.txt beside x.cpp, matrix_check.txt for `matrix check`.
struct CommandText {
    std::string title;     ///< the first line; empty for a hidden command, which has no text
    std::string examples;  ///< the lines after an empty one
};
CommandText text_of_command(std::string_view name);

/// Declares subcommands such as `matrix check`; the returned function runs the one that the user
/// named.
std::function<int()> declare_subcommands(
    CLI::App& app, std::span<const std::pair<const char*, Command>> commands);

/// For `exec` and `run`: shows in the usage line that another program's command follows.
void show_command_after_dashes(CLI::App& app);

}  // namespace rnncheck
