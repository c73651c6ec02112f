// What is wrong with a set of tables, all of it at once: faults of form, rows out of order or twice, ranges that
// overlap, holes, and tables that contradict each other. Pure.
#pragma once

#include <string>
#include <vector>

#include "matrix/table_file.hpp"

namespace rnncheck {

/// `text` says what is wrong and what to do about it: lower case, no full stop, safe to show.
struct Complaint {
    std::string table;    ///< stem
    std::size_t row = 0;  ///< counted from 1; 0: the table as a whole
    std::string text;
};

/// By table, then by row. `latest_day`: ISO date that no source may be ahead of; "": none.
std::vector<Complaint> verify(const TableFiles& files, const std::string& latest_day = "");

/// Rows in all tables, those with faults included.
std::size_t rows_written(const TableFiles& files);

}  // namespace rnncheck
