// From the JSON text of a table to typed rows. The only place that knows the file format.
#pragma once

#include "base/errors.hpp"
#include "matrix/matrix.hpp"
#include "matrix/table_file.hpp"

namespace rnncheck {

/// Every row of the table `stem`. InputError names the file, and the row (counted from 1) and column, or the line and
/// column of a JSON error, when: the file is missing or no JSON; a row lacks a column or has one that is unknown or not
/// declared; a value is not of the column's type; a source is unknown or lacks title, url or an ISO date.
template <class R>
std::vector<R> read_table(const TableFiles& files, const std::string& stem);

/// One of these errors; what() is the whole sentence.
struct TableFault : InputError {
    TableFault(const std::string& file, std::size_t row_number, const std::string& what_is_wrong);

    std::size_t row;     ///< counted from 1; 0 is the head of the file
    std::string detail;  ///< without file and row, safe to show
};

template <class R>
struct ReadRows {
    std::vector<R> rows;               ///< those without a fault
    std::vector<std::size_t> numbers;  ///< of each row, counted from 1
    std::size_t written = 0;           ///< rows in the file
};

/// The same without an end at the first fault: each is appended to `faults`.
template <class R>
ReadRows<R> read_all(const TableFiles& files, const std::string& stem, std::vector<TableFault>& faults);

/// What the head of a table says beside columns and sources.
struct TableHead {
    std::string about;
    std::map<std::string, std::string> holes;  ///< what the table lacks on purpose, with the reason: {"12.7": "..."}
};

/// Empty where the file is missing or broken, which read_all tells.
TableHead read_head(const TableFiles& files, const std::string& stem);

}  // namespace rnncheck
