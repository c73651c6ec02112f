// Runs a hidden command of this program in a process of its own, and takes its one line of answer.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace rnncheck::process {

struct ChildAnswer {
    std::optional<std::string> line;
    std::string failure;  ///< how the process ended without one: "it crashed with SIGBUS"
};

/// The arguments without the program; the descriptor for the answer (write_line) is added as --answer-to. `limit` is
/// the longest time that it may take.
ChildAnswer answer_of_child(std::vector<std::string> arguments, std::chrono::milliseconds limit);

}  // namespace rnncheck::process
