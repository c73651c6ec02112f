// The subcommands of `matrix`. Each declares its options on its own part of the command line; the returned function
// runs it.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace rnncheck {

std::function<int()> declare_matrix_plan(CLI::App& app);
std::function<int()> declare_matrix_show(CLI::App& app);
std::function<int()> declare_matrix_verify(CLI::App& app);

}  // namespace rnncheck
