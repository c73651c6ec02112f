// A table as text, whatever its columns are, and a filter of its rows.
#pragma once

#include <span>

#include "matrix/tables.hpp"

namespace rnncheck {

struct TableRow {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(
        TextMap, values, "cells by column, as text; a cell that the row leaves open is missing");
    RNNCHECK_FIELD(Source, source, "where the row comes from");
    RNNCHECK_FIELD(Provenance, provenance, "how well it is known") = Provenance::documented;
    RNNCHECK_FIELD(std::optional<std::string>, note, "what is to be read with it");
    RNNCHECK_FIELDS_END
};

struct TableView {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD_AS(std::string, name, "table", "the table's id");
    RNNCHECK_FIELD(std::string, about, "what it is about, and what it leaves out");
    RNNCHECK_FIELD(std::vector<Column>, columns, "its columns, in reading order");
    RNNCHECK_FIELD(std::vector<TableRow>, rows, "the rows, in the order of the table");
    std::span<const RangeColumns> ranges;
    RNNCHECK_FIELDS_END
};

/// By name.
std::vector<std::string> table_names();

/// `name` is one of table_names(). InputError as Table::rows.
TableView table_view(const TableFiles& files, const std::string& name);

/// A table without its rows.
struct TableOutline {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(std::string, name, "the table's id");
    RNNCHECK_FIELD(std::string, about, "what it is about, and what it leaves out");
    RNNCHECK_FIELD(std::size_t, rows, "how many rows it has") = 0;
    RNNCHECK_FIELD(
        std::string, newest_source, "newest date on which a source of its rows was looked at");
    RNNCHECK_FIELDS_END
};

/// Of all tables, by name. InputError when a file is missing, no JSON or without a list of rows;
/// issues of single rows do not matter here.
std::vector<TableOutline> table_outlines(const TableFiles& files);

/// Keeps the rows that match "cudnn=8.9.7": a column, or the word for a range (RangeColumns), and
/// what its cell must be. A version matches all that begin with it: 12 finds every 12.x. In a range
/// it matches the rows that cover it. A text matches without regard to case, as a whole or, where
/// no row matches as a whole, in a part. UsageError when the text is no filter, there is no such
/// column, or the value is not of its type.
void keep_matching(TableView& view, const std::string& filter);

}  // namespace rnncheck
