// What every row of a table has, and what an answer from a table looks like. The tables' own rows
// are in *_rows.hpp.
#pragma once

#include <tuple>

#include "base/fields.hpp"

namespace rnncheck {

/// Where a row comes from. `seen` is an ISO date.
struct Source {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(std::string, title, "what people know it by");
    RNNCHECK_FIELD(std::string, url, "where it is");
    RNNCHECK_FIELD(std::string, seen, "ISO date on which it was read");
    RNNCHECK_FIELDS_END
};

/// How a row is known: documented by the vendor, read from source code, inferred (the note names
/// from what), or unconfirmed.
RNNCHECK_ENUM(Provenance, documented, source_code, inferred, unconfirmed)

/// Why a table has a row for a version, or none: the version is beyond an end
/// of the data, or between rows without being in one.
RNNCHECK_ENUM(Coverage, known, newer_than_data, older_than_data, silent)

/// As text; "" for a cell that the row leaves open.
template <class T>
std::string cell_text(const T& value) {
    if constexpr (IsOptional<T>::value)
        return value ? cell_text(*value) : "";
    else if constexpr (std::is_same_v<T, Version>)
        return value.text;
    else if constexpr (std::is_same_v<T, Source>)
        return value.url;
    else if constexpr (std::is_same_v<T, bool>)
        return value ? "yes" : "no";
    else if constexpr (std::is_integral_v<T>)
        return std::to_string(value);
    else if constexpr (NamedEnum<T>)
        return std::string(name_of(value));
    else
        return std::string(value);
}

/// Members that are columns, in reading order: R::fields(row, visit) calls visit(name, member) for
/// each.
#define RNNCHECK_COLUMNS(...)                                 \
    static void fields(auto& self, auto&& visit) {            \
        RNNCHECK_FOR_EACH(RNNCHECK_VISIT_COLUMN, __VA_ARGS__) \
    }
#define RNNCHECK_VISIT_COLUMN(column) visit(#column, self.column);

/// What every table has. A row may leave out an optional column and those of R::may_be_missing.
/// R::key() puts the rows in order.
struct Row {
    Source source;
    Provenance provenance = Provenance::documented;
    std::string note;        ///< what the row's author wants read with it, often empty
    std::size_t number = 0;  ///< its place in the table, from 1

    RNNCHECK_COLUMNS(source, provenance, note)
    static constexpr std::string_view may_be_missing[] = {"note"};
};

/// The rows of one series (R::series()) follow each other without overlap.
struct Series {
    std::string name;  ///< "" where the table is one series
    Version first;
    std::optional<Version> last;  ///< unset: to the end
};

/// Two columns that hold the ends of a range (R::ranges), for those who look for a value inside it.
struct RangeColumns {
    std::string_view
        word;  ///< what a filter calls such a value: the name of a column or a word of its own
    std::string_view first;
    std::string_view last;
    /// What a row without `last` covers.
    enum Open { one_version, all_later } without_last = all_later;
    bool excludes_last = false;
};

/// The columns of a row, or with `Row` those that every row has, with their values as text.
template <class R>
TextMap cells_of(const R& row) {
    TextMap cells;
    R::fields(row, [&](const char* name, const auto& value) { cells[name] = cell_text(value); });
    return cells;
}

template <class R>
struct Answer {
    Coverage coverage = Coverage::silent;
    std::optional<R> row;  ///< set exactly when coverage is `known`

    explicit operator bool() const {
        return row.has_value();
    }
    const R* operator->() const {
        return &*row;
    }
    const R& operator*() const {
        return *row;
    }
};

}  // namespace rnncheck
