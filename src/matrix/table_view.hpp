// A table as text, whatever its columns are, for people who look at it; and which of its rows they ask for.
#pragma once

#include "matrix/matrix.hpp"
#include "matrix/table_file.hpp"

namespace rnncheck {

struct ViewedColumn {
    std::string name;
    std::string type;  ///< as in the head of the table: "version", "optional text"
};

struct ViewedRow {
    std::vector<std::optional<std::string>> cells;  ///< by column; unset: the row says nothing
    Source source;
    Known known = Known::documented;
    std::string note;
};

/// All columns but source, known and note, which every row has.
struct TableView {
    std::string name;
    std::string about;
    std::vector<ViewedColumn> columns;
    std::vector<ViewedRow> rows;
};

/// By name.
std::vector<std::string> table_names();

/// `name` is one of table_names(). InputError as read_table.
TableView table_view(const TableFiles& files, const std::string& name);

/// A table without its rows.
struct TableOutline {
    std::string name;
    std::string about;
    std::size_t rows = 0;
    std::string newest_source;  ///< newest date on which one of its sources was looked at; "" without any
};

/// InputError when the file is missing, no JSON or without a list of rows; the rows themselves are not examined.
TableOutline table_outline(const TableFiles& files, const std::string& name);

/// "cudnn=8.9.7": a column, or the word for a range (ranges_of), and what its cell must be.
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
