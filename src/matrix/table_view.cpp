// A table as people see it (`rnncheck matrix show`), and the filters COLUMN=VALUE on its rows.
#include "matrix/table_view.hpp"

#include <algorithm>
#include <functional>

#include "base/lists.hpp"
#include "base/program.hpp"
#include "base/text.hpp"
#include "matrix/ranges.hpp"

namespace rnncheck {

namespace {

/// Every row as text by column, without empty cells.
template <class R>
TableView view_of(const Table<R>& table) {
    TableView view{table.stem(), table.read().about, table.read().columns, {}, {}};
    for (const R& row : table.rows()) {
        TextMap cells = cells_of(row);
        std::erase_if(cells, [](const auto& cell) { return cell.second.empty(); });
        std::optional<std::string> note;
        if (!row.note.empty())
            note = row.note;
        view.rows.push_back({std::move(cells), row.source, row.provenance, note});
    }
    if constexpr (requires { R::ranges; })
        view.ranges = R::ranges;
    return view;
}

/// "" where the row shows nothing.
std::string cell_of(const TableRow& row, std::string_view column) {
    if (column == "provenance")
        return std::string(name_of(row.provenance));
    if (column == "source")
        return row.source.title + ' ' + row.source.url;
    if (column == "note")
        return row.note.value_or("");
    const std::string* const cell = look_up(row.values, std::string(column));
    if (!cell)
        return "";
    return *cell;
}

/// UsageError where the value is no version.
Version requested_version(const std::string& column, const std::string& value) {
    const auto version = parse_version(value);
    if (!version)
        throw UsageError(
            column + "=" + value + ": '" + value + "' is not a number or version, e.g. 12.4");
    return *version;
}

/// Some version that begins with `requested` is in the row's range.
bool range_holds(
    const std::optional<Version>& first,
    const std::optional<Version>& last,
    const RangeColumns& range,
    const Version& requested) {
    if (first && requested < *first && !agree(requested, *first))
        return false;
    if (!last)
        return range.without_last == RangeColumns::all_later || (first && agree(requested, *first));
    if (range.excludes_last)
        return requested < *last;
    return within(requested, *last) || agree(requested, *last);
}

/// UsageError with all names for a column that the table does not have.
std::string type_of(const TableView& view, const std::string& column) {
    std::vector<std::string> names;
    for (const RangeColumns& range : view.ranges)
        if (!find_by(view.columns, &Column::name, range.word))
            names.emplace_back(range.word);
    for (const Column& known : view.columns) {
        if (known.name == column)
            return known.type;
        names.push_back(known.name);
    }
    for (const char* every : {"provenance", "source", "note"}) {
        if (every == column)
            return "text";
        names.emplace_back(every);
    }
    throw UsageError(
        "the table " + view.name + " has no column '" + column + "'; it has " +
        join_with_and(names));
}

}  // namespace

std::vector<std::string> table_names() {
#define RNNCHECK_NAME(R, name) #name,
    return {RNNCHECK_TABLES(RNNCHECK_NAME)};
#undef RNNCHECK_NAME
}

TableView table_view(const TableFiles& files, const std::string& name) {
    const Tables tables(files);
    TableView view;
    tables.each([&](const auto& table) {
        if (table.stem() == name)
            view = view_of(table);
    });
    return view;
}

/// InputError for the first table that cannot be read at all.
std::vector<TableOutline> table_outlines(const TableFiles& files) {
    std::vector<TableOutline> outlines;
    Tables(files).each([&](const auto& table) {
        const TableHead& head = table.read();
        if (head.written == 0 && !head.issues.empty())
            reject(files, head.issues.front());
        outlines.push_back(
            {table.stem(), head.about, head.written, newest_date(files.content.at(table.stem()))});
    });
    return outlines;
}

/// By the column's type: a version in a range, or that begins so; yes or no; a
/// text that is equal or, if none is, contains the value.
void keep_matching(TableView& view, const std::string& text) {
    const auto at = text.find('=');
    if (at == std::string::npos || at == 0 || at + 1 == text.size())
        throw UsageError("'" + text + "' is not a filter; write COLUMN=VALUE, e.g. cuda=12.4");
    const std::string column = text.substr(0, at), value = text.substr(at + 1);
    const auto keep = [&](auto&& matches) { std::erase_if(view.rows, std::not_fn(matches)); };
    if (const RangeColumns* const range = find_by(view.ranges, &RangeColumns::word, column))
        return keep([&, requested = requested_version(column, value)](const TableRow& row) {
            return range_holds(
                parse_version(cell_of(row, range->first)),
                parse_version(cell_of(row, range->last)),
                *range,
                requested);
        });
    const std::string type = type_of(view, column);
    if (contains(type, "version") || contains(type, "integer"))
        return keep([&, requested = requested_version(column, value)](const TableRow& row) {
            const auto version = parse_version(cell_of(row, column));
            return version && agree(*version, requested);
        });
    const bool is_yes_no = contains(type, "yes_no");
    std::string requested = lower(value);
    if (is_yes_no && requested == "true")
        requested = "yes";
    if (is_yes_no && requested == "false")
        requested = "no";
    if (is_yes_no && requested != "yes" && requested != "no")
        throw UsageError(text + ": write yes or no");
    const auto is_whole = [&](const TableRow& row) {
        return lower(cell_of(row, column)) == requested;
    };
    if (is_yes_no || std::ranges::any_of(view.rows, is_whole))
        return keep(is_whole);
    keep([&](const TableRow& row) { return contains(lower(cell_of(row, column)), requested); });
}

}  // namespace rnncheck
