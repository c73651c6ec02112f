// What shells make of the commands in the tables. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rnncheck {

/// Whether only a Unix shell runs it: programs, paths or syntax that neither cmd.exe nor PowerShell has.
bool is_for_unix(std::string_view command);

/// Whether the command only shows something: it repairs nothing.
bool only_looks(std::string_view command);

/// What is wrong with the commands in a text, whatever the shell; for each a clause with the correction.
std::vector<std::string> faults_of_commands(std::string_view text);

/// What is wrong with a link to documentation; "" when nothing is known against it.
std::string fault_of_link(std::string_view url);

}  // namespace rnncheck
