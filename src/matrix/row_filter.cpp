#include <algorithm>
#include <cctype>
#include <functional>

#include "base/errors.hpp"
#include "base/text.hpp"
#include "matrix/ranges.hpp"
#include "matrix/table_view.hpp"

namespace rnncheck {

namespace {

using Cell = std::optional<std::string>;
using CellOf = std::function<Cell(const ViewedRow&)>;

std::optional<std::size_t> column_named(const TableView& view, std::string_view name) {
    for (std::size_t i = 0; i < view.columns.size(); ++i)
        if (view.columns[i].name == name) return i;
    return std::nullopt;
}

Version version_from(const RowFilter& filter) {
    const auto version = parse_version(filter.value);
    if (!version)
        throw UsageError(filter.column + "=" + filter.value + ": '" + filter.value +
                         "' is no number or version, e.g. 12.4");
    return *version;
}

template <class Keep>
void keep_if(TableView& view, Keep&& keep) {
    std::erase_if(view.rows, [&](const ViewedRow& row) { return !keep(row); });
}

std::optional<Version> version_in(const TableView& view, const ViewedRow& row, std::string_view column) {
    const auto at = column_named(view, column);
    return at && row.cells[*at] ? parse_version(*row.cells[*at]) : std::nullopt;
}

/// Some version that begins with `asked` is in the row's range.
bool range_holds(const std::optional<Version>& first, const std::optional<Version>& last, const RangeColumns& range,
                 const Version& asked) {
    if (first && asked < *first && !agree(asked, *first)) return false;
    if (!last) return range.without_last == RangeColumns::Open::all_later || (first && agree(asked, *first));
    if (range.excludes_last) return asked < *last;
    return within(asked, *last) || agree(asked, *last);
}

void keep_in_range(TableView& view, const RowFilter& filter, const RangeColumns& range) {
    const Version asked = version_from(filter);
    keep_if(view, [&](const ViewedRow& row) {
        return range_holds(version_in(view, row, range.first), version_in(view, row, range.last), range, asked);
    });
}

void keep_text(TableView& view, const CellOf& cell_of, const std::string& value) {
    const std::string asked = lower(value);
    const auto is_whole = [&](const ViewedRow& row) { return lower(cell_of(row).value_or("")) == asked; };
    if (std::any_of(view.rows.begin(), view.rows.end(), is_whole)) return keep_if(view, is_whole);
    keep_if(view, [&](const ViewedRow& row) { return contains(lower(cell_of(row).value_or("")), asked); });
}

void keep_version(TableView& view, const CellOf& cell_of, const RowFilter& filter) {
    const Version asked = version_from(filter);
    keep_if(view, [&](const ViewedRow& row) {
        const auto version = parse_version(cell_of(row).value_or(""));
        return version && agree(*version, asked);
    });
}

void keep_yes_no(TableView& view, const CellOf& cell_of, const RowFilter& filter) {
    const std::string word = lower(filter.value);
    if (word != "yes" && word != "no" && word != "true" && word != "false")
        throw UsageError(filter.column + "=" + filter.value + ": write yes or no");
    const bool asked = word == "yes" || word == "true";
    keep_if(view, [&](const ViewedRow& row) { return (cell_of(row) == "yes") == asked; });
}

[[noreturn]] void complain_about_column(const TableView& view, const std::string& name) {
    std::vector<std::string> names;
    for (const RangeColumns& range : ranges_of(view.name))
        if (!column_named(view, range.word)) names.emplace_back(range.word);
    for (const ViewedColumn& column : view.columns) names.push_back(column.name);
    for (const char* every : {"known", "source", "note"}) names.emplace_back(every);
    throw UsageError("the table " + view.name + " has no column '" + name + "'; it has " + listing(names));
}

/// Columns that every table has.
std::optional<CellOf> common_cell(const std::string& name) {
    if (name == "known") return [](const ViewedRow& row) { return Cell(name_of(row.known)); };
    if (name == "source") return [](const ViewedRow& row) { return Cell(row.source.title + ' ' + row.source.url); };
    if (name == "note") return [](const ViewedRow& row) { return Cell(row.note); };
    return std::nullopt;
}

}  // namespace

void keep_matching(TableView& view, const RowFilter& filter) {
    for (const RangeColumns& range : ranges_of(view.name))
        if (range.word == filter.column) return keep_in_range(view, filter, range);
    if (const auto cell = common_cell(filter.column)) return keep_text(view, *cell, filter.value);
    const auto at = column_named(view, filter.column);
    if (!at) complain_about_column(view, filter.column);
    const CellOf cell_of = [at = *at](const ViewedRow& row) { return row.cells[at]; };
    const std::string& type = view.columns[*at].type;
    if (contains(type, "version") || contains(type, "integer"))
        keep_version(view, cell_of, filter);
    else if (contains(type, "yes_no"))
        keep_yes_no(view, cell_of, filter);
    else
        keep_text(view, cell_of, filter.value);
}

}  // namespace rnncheck
