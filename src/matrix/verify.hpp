// What is wrong with a set of tables, all of it at once: faults of form, rows out of order or twice, ranges that
// overlap, holes, and tables that contradict each other. Pure.
#pragma once

#include "matrix/tables.hpp"

namespace rnncheck {

/// By table, then by row. `latest_day`: ISO date that no source may be ahead of; "": none.
std::vector<Issue> verify(const TableFiles& files, const std::string& latest_day = "");

/// Rows in all tables, those with issues included.
std::size_t rows_written(const TableFiles& files);

}  // namespace rnncheck
