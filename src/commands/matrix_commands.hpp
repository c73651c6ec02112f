// The subcommands of `matrix`. Each declares its options on its own part of the command line; the returned function
// runs it.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "facts/facts.hpp"
#include "matrix/matrix.hpp"

namespace rnncheck {

std::function<int()> declare_matrix_check(CLI::App& app);
std::function<int()> declare_matrix_plan(CLI::App& app);
std::function<int()> declare_matrix_show(CLI::App& app);
std::function<int()> declare_matrix_verify(CLI::App& app);

/// The facts that KEY=VALUE arguments tell; UsageError names the first that is not understood or has none of these
/// keys.
Facts facts_told(const std::vector<std::string>& texts, const std::vector<std::string>& keys, const Matrix& matrix);

}  // namespace rnncheck
