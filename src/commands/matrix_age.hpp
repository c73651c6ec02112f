// How old the tables are today. The only reader of the calendar: rules and formats are told.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "report/report.hpp"

namespace rnncheck {

/// Days from an ISO date to `today`; nothing for a date that is none or lies in the future.
std::optional<int> days_from(std::string_view date, std::chrono::sys_days today);

/// Tells the stamp how old its matrix_date is today, by the system's clock in UTC.
void add_age(ToolStamp& tool);

/// This rnncheck with a matrix of this date and digest, and its age.
ToolStamp stamp_with(std::string matrix_date, std::string matrix_digest);

}  // namespace rnncheck
