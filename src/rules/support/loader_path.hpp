// A library that a framework opens, and that is installed where the loader does not look. Pure.
#pragma once

#include "rules/support/installed.hpp"

namespace rnncheck::rules {

/// The shell command that puts directories, parted by colons, ahead of what LD_LIBRARY_PATH has.
std::string export_of_loader_path(const std::string& directories);

/// For every framework the library whose name begins with `stem`. `rule` is the id that the remedies name.
Verdict judge_loader_path(const Facts& facts, const Matrix& matrix, std::string_view stem, const std::string& rule);

}  // namespace rnncheck::rules
