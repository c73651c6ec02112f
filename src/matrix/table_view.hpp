// A table as text, whatever its columns are, for people who look at it; and which of its rows they ask for.
#pragma once

#include <span>

#include "matrix/tables.hpp"

namespace rnncheck {

struct ViewedRow {
    TextMap cells;  ///< by column; none where the row says nothing
    Row common;
};

struct TableView {
    std::string name;
    std::string about;
    std::vector<Column> columns;  ///< all but source, provenance and note
    std::vector<ViewedRow> rows;
    std::span<const RangeColumns> ranges;
};

/// By name.
std::vector<std::string> table_names();

/// `name` is one of table_names(). InputError as Table::rows.
TableView table_view(const TableFiles& files, const std::string& name);

/// A table without its rows.
struct TableOutline {
    std::string name;
    std::string about;
    std::size_t rows = 0;
    std::string newest_source;  ///< newest date on which one of its sources was looked at; "" without any
};

/// Of all tables, by name. InputError when a file is missing, no JSON or without a list of rows; issues of single rows
/// do not matter here.
std::vector<TableOutline> table_outlines(const TableFiles& files);

/// "cudnn=8.9.7": a column, or the word for a range (RangeColumns), and what its cell must be.
/// A version stands for all that begin with it: 12 asks for every 12.x. In a range it matches the rows that cover it. A
/// text matches without regard to case, as a whole or, where no row matches as a whole, in a part.
struct RowFilter {
    std::string column;
    std::string value;
};

/// UsageError when the text is no filter.
RowFilter parse_filter(const std::string& text);

/// Keeps the rows that match. UsageError when there is no such column, naming those that there are, or the value is not
/// of its type.
void keep_matching(TableView& view, const RowFilter& filter);

}  // namespace rnncheck
