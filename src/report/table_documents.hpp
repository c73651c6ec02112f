// The tables of the matrix as documents: what `matrix show` and `matrix verify` print with --json.
#pragma once

#include "report/report.hpp"

namespace rnncheck {

struct TableSummary {
    std::string name;
    std::string about;
    int rows = 0;
    std::string newest_source;

    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
        visit("name", self.name, "the table's id");
        visit("about", self.about, "what it says, and what it does not");
        visit("rows", self.rows, "how many rows it has");
        visit("newest_source", self.newest_source, "newest date on which a source of its rows was looked at");
    }
};

/// `rnncheck matrix show --json`.
struct TablesDocument {
    int schema = 1;
    ToolStamp tool;
    std::vector<TableSummary> tables;

    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
        visit("schema", self.schema, "number of this form of the document");
        visit("tool", self.tool, "who shows them, from which matrix");
        visit("tables", self.tables, "all tables, by name");
    }
};

struct TableColumn {
    std::string name;
    std::string type;

    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
        visit("name", self.name, "the column's id");
        visit("type", self.type, "version, integer, text or yes_no; 'optional' before it: a row may say nothing");
    }
};

struct RowSource {
    std::string title;
    std::string url;
    std::string seen;

    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
        visit("title", self.title, "what it is");
        visit("url", self.url, "where it is");
        visit("seen", self.seen, "day on which it was looked at");
    }
};

struct TableRow {
    TextMap values;
    RowSource source;
    std::string known;
    std::optional<std::string> note;

    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
        visit("values", self.values, "cells by column, as text; a cell about which the row says nothing is left out");
        visit("source", self.source, "where the row comes from");
        visit("known", self.known, "how well it is known: documented, source_code, inferred or unconfirmed");
        visit("note", self.note, "what is to be read with it");
    }
};

/// `rnncheck matrix show TABLE --json`.
struct TableDocument {
    int schema = 1;
    ToolStamp tool;
    std::string table;
    std::string about;
    std::vector<TableColumn> columns;
    std::vector<TableRow> rows;

    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
        visit("schema", self.schema, "number of this form of the document");
        visit("tool", self.tool, "who shows it, from which matrix");
        visit("table", self.table, "the table's id");
        visit("about", self.about, "what it says, and what it does not");
        visit("columns", self.columns, "its columns, in reading order");
        visit("rows", self.rows, "the rows asked for, in the order of the table");
    }
};

struct TableComplaint {
    std::string table;
    int row = 0;
    std::string text;

    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
        visit("table", self.table, "the table's id");
        visit("row", self.row, "the row, counted from 1; 0 for the table as a whole");
        visit("text", self.text, "what is wrong, and what to do");
    }
};

/// `rnncheck matrix verify --json`.
struct VerifyDocument {
    int schema = 1;
    ToolStamp tool;
    int rows = 0;
    std::vector<TableComplaint> complaints;

    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
        visit("schema", self.schema, "number of this form of the document");
        visit("tool", self.tool, "who verified, and which matrix");
        visit("rows", self.rows, "rows in all tables");
        visit("complaints", self.complaints, "everything that is wrong, by table and row; empty when all is well");
    }
};

}  // namespace rnncheck
