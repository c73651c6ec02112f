// The documents beside the report: what each command prints with --json, and what stands on stdout when there is no
// report.
#pragma once

#include "compat/plan.hpp"
#include "facts/libraries.hpp"
#include "report/format.hpp"

namespace rnncheck {

enum class FailureKind { usage, input, bug };
RNNCHECK_ENUM_NAMES(FailureKind, "usage", "input", "bug")

struct ProgramStamp {
    std::string name = "rnncheck";
    std::string version;

    static void fields(auto& self, auto&& visit) {
        visit("name", self.name, "rnncheck");
        visit("version", self.version, "its version");
    }
};

struct Failure {
    FailureKind kind = FailureKind::bug;
    std::string message;

    static void fields(auto& self, auto&& visit) {
        visit("kind", self.kind, "usage: the command line; input: a file given; bug: rnncheck itself");
        visit("message", self.message, "the sentence that stands on stderr");
    }
};

/// Instead of a report, when there is none.
struct FailureDocument {
    int schema = 1;
    ProgramStamp tool;
    Failure error;

    static void fields(auto& self, auto&& visit) {
        visit("schema", self.schema, "number of this form of the document");
        visit("tool", self.tool, "who failed");
        visit("error", self.error, "why there is no report");
    }
};

struct ListItem {
    std::string name;
    std::string title;
    std::optional<std::string> layer;
    std::optional<std::string> worst;
    std::optional<std::string> stage;

    static void fields(auto& self, auto&& visit) {
        visit("name", self.name, "its id");
        visit("title", self.title, "what it is, in one sentence");
        visit("layer", self.layer, "rules: where the fault sits");
        visit("worst", self.worst, "rules: the worst severity it can report");
        visit("stage", self.stage, "probes: the stage it belongs to; rules: the last stage whose facts it judges");
    }
};

/// `rnncheck list KIND --json`.
struct ListDocument {
    int schema = 1;
    ProgramStamp tool;
    std::string kind;
    std::vector<ListItem> items;

    static void fields(auto& self, auto&& visit) {
        visit("schema", self.schema, "number of this form of the document");
        visit("tool", self.tool, "who has these");
        visit("kind", self.kind, "rules, probes, formats, tables or commands");
        visit("items", self.items, "all of them, by name");
    }
};

struct TableSummary {
    std::string name;
    std::string about;
    int rows = 0;
    std::string newest_source;

    static void fields(auto& self, auto&& visit) {
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

    static void fields(auto& self, auto&& visit) {
        visit("schema", self.schema, "number of this form of the document");
        visit("tool", self.tool, "who shows them, from which matrix");
        visit("tables", self.tables, "all tables, by name");
    }
};

struct TableColumn {
    std::string name;
    std::string type;

    static void fields(auto& self, auto&& visit) {
        visit("name", self.name, "the column's id");
        visit("type", self.type, "version, integer, text or yes_no; 'optional' before it: a row may say nothing");
    }
};

struct RowSource {
    std::string title;
    std::string url;
    std::string seen;

    static void fields(auto& self, auto&& visit) {
        visit("title", self.title, "what it is");
        visit("url", self.url, "where it is");
        visit("seen", self.seen, "day on which it was looked at");
    }
};

struct TableRow {
    TextMap values;
    RowSource source;
    std::string provenance;
    std::optional<std::string> note;

    static void fields(auto& self, auto&& visit) {
        visit("values", self.values, "cells by column, as text; a cell about which the row says nothing is left out");
        visit("source", self.source, "where the row comes from");
        visit("provenance", self.provenance, "how well it is known: documented, source_code, inferred or unconfirmed");
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

    static void fields(auto& self, auto&& visit) {
        visit("schema", self.schema, "number of this form of the document");
        visit("tool", self.tool, "who shows it, from which matrix");
        visit("table", self.table, "the table's id");
        visit("about", self.about, "what it says, and what it does not");
        visit("columns", self.columns, "its columns, in reading order");
        visit("rows", self.rows, "the rows asked for, in the order of the table");
    }
};

struct TableIssue {
    std::string table;
    int row = 0;
    std::string text;

    static void fields(auto& self, auto&& visit) {
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
    std::vector<TableIssue> issues;

    static void fields(auto& self, auto&& visit) {
        visit("schema", self.schema, "number of this form of the document");
        visit("tool", self.tool, "who verified, and which matrix");
        visit("rows", self.rows, "rows in all tables");
        visit("issues", self.issues, "everything that is wrong, by table and row; empty when all is well");
    }
};

/// `rnncheck matrix plan gpu=8.6 driver=535 --json`.
struct PlanDocument {
    int schema = 1;
    ToolStamp tool;
    Plan plan;

    static void fields(auto& self, auto&& visit) {
        visit("schema", self.schema, "number of this form of the document");
        visit("tool", self.tool, "who planned, by which matrix");
        visit("plan", self.plan, "what can run there");
    }
};

/// `rnncheck matrix plan --for tensorflow==2.15 --json`.
struct NeedsDocument {
    int schema = 1;
    ToolStamp tool;
    Needs needs;

    static void fields(auto& self, auto&& visit) {
        visit("schema", self.schema, "number of this form of the document");
        visit("tool", self.tool, "who tells, by which matrix");
        visit("needs", self.needs, "what the release needs");
    }
};

/// `rnncheck which TARGET --json`.
struct WhichDocument {
    int schema = 1;
    ProgramStamp tool;
    std::string target;
    std::vector<std::string> notes;
    std::vector<LibraryChoice> libraries;

    static void fields(auto& self, auto&& visit) {
        visit("schema", self.schema, "number of this form of the document");
        visit("tool", self.tool, "who tells");
        visit("target", self.target, "the file, the process, or a plain program");
        visit("notes", self.notes, "what holds for the whole target, and what could not be told");
        visit("libraries", self.libraries, "one entry per name asked for, in the order of asking");
    }
};

/// `restricted`: reports made here are incomplete but not incorrect. `failed`: they may be incorrect or empty.
enum class SelftestOutcome { passed, restricted, failed };
RNNCHECK_ENUM_NAMES(SelftestOutcome, "passed", "restricted", "failed")

struct SelftestCheck {
    std::string name;
    SelftestOutcome outcome = SelftestOutcome::failed;
    std::string text;

    static void fields(auto& self, auto&& visit) {
        visit("name", self.name, "what was tried");
        visit("outcome", self.outcome,
              "passed; restricted: reports say less; failed: reports may be wrong or say nothing");
        visit("text", self.text, "what was seen and, unless it passed, what follows from it");
    }
};

/// `rnncheck selftest --json`.
struct SelftestDocument {
    int schema = 1;
    ProgramStamp tool;
    SelftestOutcome verdict = SelftestOutcome::failed;
    std::vector<SelftestCheck> checks;

    static void fields(auto& self, auto&& visit) {
        visit("schema", self.schema, "number of this form of the document");
        visit("tool", self.tool, "who tested itself");
        visit("verdict", self.verdict, "the worst outcome of a check");
        visit("checks", self.checks, "every check, in the order in which they were made");
    }
};

/// A document as JSON text: two spaces of indent, sorted keys, plain ASCII (everything else as \u escapes, so that no
/// control character of either kind reaches a terminal), one line end after the last brace.
template <class Document>
std::string json_text(const Document& document);

/// JSON Schema (draft 2020-12) that every document above, reports and saved facts satisfy.
std::string schema_text();

// For people. Everything that comes from outside goes through shown() on its way to the page.

/// A paragraph per table.
std::string table_text(const TablesDocument& document, const Style& style);

/// Aligned columns; long texts below their row; sources by number, below all rows.
std::string table_text(const TableDocument& document, const Style& style);

/// One line per issue, with the path of its file below `directory`.
std::string table_text(const VerifyDocument& document, const std::string& directory);

/// One block per framework: the newest release that runs, what it is made of, how to install it, and why no newer one.
/// With style.verbose also the sources.
std::string plan_text(const PlanDocument& document, const Style& style);

/// One block per build.
std::string plan_text(const NeedsDocument& document, const Style& style);

/// A paragraph per library: the copy, the rule, who asks for it, and the other copies with the reason against each.
std::string which_text(const WhichDocument& document, const Style& style);

/// A headline, then one paragraph for each check.
std::string selftest_text(const SelftestDocument& document, const Style& style);

}  // namespace rnncheck
