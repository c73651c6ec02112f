// What makes a set of tables unusable, all of it at once: faults of form, rows out of order or twice, ranges that
// overlap or end before they begin, and tables that contradict each other. Pure. What else a maintainer of the bundled
// tables must check (commands, links, versions left out) is in tests/matrix/lint_tables.py.
#pragma once

#include "matrix/tables.hpp"

namespace rnncheck {

/// All issues, by table, then by row.
std::vector<Issue> verify(const Tables& tables);

/// Rows in all tables, those with issues included.
std::size_t rows_written(const Tables& tables);

}  // namespace rnncheck
