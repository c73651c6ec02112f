// A check in a process of its own before this one becomes another program.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace rnncheck::process {

/// Runs `work` in a copy of this process and gives its answer (0 to 255); nothing when the copy ended without one. So
/// whatever `work` changes in its process (signals, limits, memory) is gone afterwards.
std::optional<int> in_a_copy(const std::function<int()>& work);

/// Replaces this process by a program, looked for on PATH as execvp does. Returns only when that fails: the error
/// number.
int become(const std::vector<std::string>& arguments);

}  // namespace rnncheck::process
