// What the simulated machine is like and how it misbehaves, all from the environment variable SIM.
// README.md lists the words. Compiled into every simulated library.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sim {

/// What is true of a call, to be named before a key: "gpu1", "libcudnn", "fp16", "h256".
using Tags = std::vector<std::string>;

/// The value of the last `key=value` in SIM whose tags all hold.
std::string setting(std::string_view key, std::string_view otherwise, const Tags& tags = {});
long long number(std::string_view key, long long otherwise, const Tags& tags = {});

/// Whether act() has anything to do for this function: most calls are planned for nothing, and
/// finding out their tags takes time.
bool mentioned(std::string_view function);

/// What a call is to do besides its work.
struct Act {
    std::optional<long long> result;  ///< return this instead of working
    std::string arithmetic;           ///< compute with this planted fault ("gates_swapped")
};

/// Called at the start of every simulated function: may not return.
Act act(std::string_view function, const Tags& tags);

/// The GPUs' start, as without persistence mode: the first process waits for it, and the others
/// find them started for as long as any process uses them.
void start_gpus();

/// The byte to overwrite outputs with, when the function that called act() last is to give back
/// garbage; reported once.
std::optional<int> garbage_wanted();

}  // namespace sim
