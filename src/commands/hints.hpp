// What a person probably meant by an argument that a command does not take. May not read the file
// that it names.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace rnncheck {

/// What to type instead of `word`, which is no command: "; did you mean 'doctor'?", "; rnncheck
/// diagnose train.log reads a log", or the list of the commands.
std::string hint_for_command(const std::string& word, const std::vector<std::string>& commands);

/// What to type instead of `argument`, which `command`, a command without commands of its own, does
/// not take; empty if nothing is known. `arguments` is the whole command line without the program's
/// name.
std::string hint_for_argument(
    const CLI::App& command,
    const std::string& argument,
    const std::vector<std::string>& arguments);

}  // namespace rnncheck
