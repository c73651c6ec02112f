#include "matrix/table_view.hpp"

#include <algorithm>
#include <concepts>

#include "base/errors.hpp"
#include "base/text.hpp"
#include "matrix/column_types.hpp"
#include "matrix/columns.hpp"
#include "matrix/tables.hpp"

namespace rnncheck {

namespace {

std::string cell_text(const std::string& value) {
    return value;
}
std::string cell_text(const Version& value) {
    return value.text;
}
std::string cell_text(const Source& value) {
    return value.url;
}
std::string cell_text(bool value) {
    return value ? "yes" : "no";
}
template <std::integral T>
std::string cell_text(T value) {
    return std::to_string(value);
}

template <class T>
std::optional<std::string> cell_of(const T& value) {
    if constexpr (IsOptional<T>::value)
        return value ? std::optional(cell_text(*value)) : std::nullopt;
    else
        return cell_text(value);
}

template <class R>
std::vector<ViewedColumn> columns_viewed() {
    std::vector<ViewedColumn> viewed;
    R row;
    columns(row, [&]<class T>(const char* name, T&, bool missing = false) {
        viewed.push_back({name, (missing ? "optional " : "") + type_word<T>()});
    });
    return viewed;
}

template <class R>
ViewedRow row_viewed(R row) {
    ViewedRow viewed{{}, row.source, row.known, row.note};
    columns(row, [&](const char*, auto& value, bool = false) { viewed.cells.push_back(cell_of(value)); });
    return viewed;
}

}  // namespace

std::vector<std::string> table_names() {
    std::vector<std::string> names;
    const Matrix::Tables tables{TableFiles{}};
    tables.each([&](const auto& table) { names.push_back(table.stem()); });
    std::sort(names.begin(), names.end());
    return names;
}

TableView table_view(const TableFiles& files, const std::string& name) {
    TableView view;
    view.name = name;
    const Matrix::Tables tables{TableFiles{}};
    tables.each([&]<class R>(const Table<R>& table) {
        if (table.stem() != name) return;
        view.columns = columns_viewed<R>();
        const ReadRows<R> read = read_whole<R>(files, name);
        view.about = read.head.about;
        for (const R& row : read.rows) view.rows.push_back(row_viewed(row));
    });
    return view;
}

RowFilter parse_filter(const std::string& text) {
    const auto at = text.find('=');
    if (at == std::string::npos || at == 0 || at + 1 == text.size())
        throw UsageError("'" + text + "' is no filter; write COLUMN=VALUE, e.g. cuda=12.4");
    return {text.substr(0, at), text.substr(at + 1)};
}

}  // namespace rnncheck
