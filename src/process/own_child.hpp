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

/// The arguments without the program; the descriptor for the answer is added as --answer-to. `limit` is the longest
/// time that it may take.
ChildAnswer answer_of_child(std::vector<std::string> arguments, std::chrono::milliseconds limit);

/// Writes the answer, and the end of its line, to that descriptor.
void write_answer(int descriptor, const std::string& line);

}  // namespace rnncheck::process
