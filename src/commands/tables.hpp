// The compatibility tables that a command uses: which, how old they are, and what is wrong with them. The only reader
// of the calendar.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>
#include <vector>

#include "matrix/matrix.hpp"
#include "matrix/verify.hpp"
#include "report/report.hpp"

namespace rnncheck {

/// The tables in `directory`, or the bundled ones where it is empty.
Matrix matrix_from(const std::string& directory);
TableFiles table_files_from(const std::string& directory);

/// What is wrong with them, the patterns of log messages included.
std::vector<Issue> issues_in(const Tables& tables);

/// Days from an ISO date to `today`; nothing for a date that is none or lies in the future.
std::optional<int> days_from(std::string_view date, std::chrono::sys_days today);

/// This rnncheck with a matrix of this date and digest, and its age by the system's clock in UTC.
ToolStamp stamp_with(std::string matrix_date, std::string matrix_digest);

}  // namespace rnncheck
