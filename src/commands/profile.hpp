// rnncheck.toml: what a gate requires of the machines that it runs on.
#pragma once

#include "report/report.hpp"

namespace rnncheck {

/// InputError or UsageError names the file, the line and what is allowed there; `rules` are the ids that exist.
Profile read_profile(const std::string& path, const std::vector<std::string>& rules);

}  // namespace rnncheck
