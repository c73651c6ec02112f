// The tables behind a Matrix: their files, and their rows. Each is parsed by the first question to
// it, at most once.
#pragma once

#include <chrono>
#include <map>

#include "base/directory_list.hpp"
#include "matrix/log_rows.hpp"
#include "matrix/matrix.hpp"
#include "matrix/model_rows.hpp"

namespace rnncheck {

/// The files of a matrix, before anything in them is understood.
struct TableFiles {
    std::string place;                                ///< where they lie, for messages
    std::map<std::string, std::string_view> content;  ///< by stem
    std::map<std::string, std::string> owned;         ///< holds the text of files that were read
    std::string digest;                               ///< "sha256:..."
    std::string date;  ///< newest "seen" date of all sources; "" without any
};

/// The files compiled into the program.
TableFiles bundled_table_files();

/// Every *.json of a directory. InputError when it cannot be read.
TableFiles table_files_of(const std::string& directory);

/// The bundled table of this name, which the build has verified, if this one is the same byte for
/// byte.
const EmbeddedFile* bundled_twin(const TableFiles& files, const std::string& stem);

/// A day of the calendar, "2026-11-21", in the years that tables about CUDA can be of: 2007 to
/// 2099.
std::optional<std::chrono::sys_days> parse_date(std::string_view text);

/// Newest "seen" date of a table's sources, found without parsing; "" when there is none.
std::string newest_date(std::string_view table);

/// `text` states what is wrong and what to do about it: lower case, no full stop, safe to show.
struct Issue {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(std::string, table, "the table's id");
    RNNCHECK_FIELD(std::size_t, row, "the row, counted from 1; 0 for the table as a whole") = 0;
    RNNCHECK_FIELD(std::string, text, "what is wrong, and what to do");
    RNNCHECK_FIELDS_END
};

/// `type` is as in the head of the table.
struct Column {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(std::string, name, "the column's id");
    RNNCHECK_FIELD(
        std::string,
        type,
        "version, integer, text or yes_no; 'optional' before it: a row may leave it out");
    RNNCHECK_FIELDS_END
};

/// What a table states beside its rows, and what is wrong with it.
struct TableHead {
    std::string about;
    std::map<std::string, std::string>
        holes;  ///< what it lacks on purpose, with the reason: {"12.7": "..."}
    std::map<std::string, Source> sources;  ///< by id
    std::vector<Column> columns;  ///< all but source, provenance and note, which every row has
    std::size_t written = 0;      ///< rows in the file
    std::vector<Issue> issues;
};

template <class R>
struct ReadTable : TableHead {
    std::vector<R> rows;  ///< those without an issue

    /// Only a table read to its end can contradict another.
    bool is_whole() const {
        return !rows.empty() && rows.size() == written;
    }
};

/// InputError that names file, row and what is wrong.
[[noreturn]] void reject(const TableFiles& files, const Issue& issue);

template <class R>
class Table {
  public:
    using Reader = ReadTable<R> (*)(const TableFiles&, const std::string& stem);

    Table(const TableFiles& files, std::string stem, Reader reader)
        : files_(files), stem_(std::move(stem)), reader_(reader) {
    }

    const std::string& stem() const {
        return stem_;
    }

    /// The table with all its issues: a missing file, a row that lacks a column or has an unknown
    /// one, a value that is not of the column's type, a key that occurs twice, a source that is not
    /// listed or lacks title, url or date.
    const ReadTable<R>& read() const {
        if (!read_)
            read_ = reader_(files_, stem_);
        return *read_;
    }

    /// InputError when there is an issue.
    const std::vector<R>& rows() const {
        if (!read().issues.empty())
            reject(files_, read().issues.front());
        return read().rows;
    }

  private:
    const TableFiles& files_;
    std::string stem_;
    Reader reader_;
    mutable std::optional<ReadTable<R>> read_;
};

template <class R>
ReadTable<R> read_table(const TableFiles& files, const std::string& stem);

struct Tables {
    explicit Tables(TableFiles table_files);
    Tables(const Tables&) = delete;  // the tables below point to `files`
    Tables& operator=(const Tables&) = delete;

    TableFiles files;
    /// What gpu_products_named returned before: comparing with every product's name takes time.
    mutable std::map<std::string, std::vector<GpuProduct>, std::less<>> products_named;
#define RNNCHECK_MEMBER(R, name) Table<R> name{files, #name, read_table<R>};
    RNNCHECK_TABLES(RNNCHECK_MEMBER)
#undef RNNCHECK_MEMBER

    /// visit(table) for every table, by name.
    template <class Visit>
    void each(Visit&& visit) const {
#define RNNCHECK_VISIT(R, name) visit(name);
        RNNCHECK_TABLES(RNNCHECK_VISIT)
#undef RNNCHECK_VISIT
    }
};

/// What makes tables unusable, all of it at once, by table, then by row: faults of form, rows out
/// of order or twice, ranges that overlap or end before they begin, and tables that contradict each
/// other. What else a maintainer of the bundled tables must check (commands, links, versions left
/// out) is in tests/matrix/lint_tables.py.
std::vector<Issue> verify(const Tables& tables);

/// Rows in all tables, those with issues included.
std::size_t rows_written(const Tables& tables);

}  // namespace rnncheck
