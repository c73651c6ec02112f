// From arguments to a command. May not examine anything.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace rnncheck {

/// The arguments after the program's name.
using Arguments = std::vector<std::string>;

/// Declares every command, reads the arguments and runs the one that was named. UsageError states
/// what is wrong with the arguments and names the closest that would be correct.
int run_command_line(const Arguments& arguments);

/// Reads the arguments into the options that are declared on `app` and its commands. UsageError
/// names the option, its value and what would be correct: "--color cannot be 'x'; it is one of
/// auto, always and never". CLI::CallForHelp and CLI::CallForVersion pass.
void parse_arguments(CLI::App& app, const Arguments& arguments);

/// Whether the user wants JSON on stdout, by the bare arguments: it must hold for an unusable
/// command line too.
bool wants_json(const Arguments& arguments);

/// Runs `work`; what it throws becomes one sentence on stderr, with `wants_json` a JSON document on
/// stdout, and an exit code.
int run_safely(const Arguments& arguments, int (*work)(const Arguments&));

/// The command of `exec` or `run`, after its "--"; empty without one. It is cut off before the
/// options are read, because CLI11 takes arguments such as [1,2] apart.
const Arguments& command_after_dashes();

}  // namespace rnncheck
