// From the JSON text of a table to typed rows. The only place that knows the file format.
#pragma once

#include "matrix/matrix.hpp"
#include "matrix/table_file.hpp"

namespace rnncheck {

/// Every row of the table `stem`. InputError names the file, and the row (counted from 1) and column, or the line and
/// column of a JSON error, when: the file is missing or no JSON; a row lacks a column or has one that is unknown or not
/// declared; a value is not of the column's type; a source is unknown or lacks title, url or an ISO date.
template <class R>
std::vector<R> read_table(const TableFiles& files, const std::string& stem);

}  // namespace rnncheck
