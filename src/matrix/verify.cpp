#include "matrix/verify.hpp"

#include <algorithm>
#include <tuple>

#include "base/text.hpp"
#include "matrix/verify_parts.hpp"

namespace rnncheck {

namespace {

using verifying::Complaints;

constexpr std::string_view row_start = "\n    {\"";

std::size_t lines_with_a_row(std::string_view text) {
    std::size_t count = 0;
    for (auto at = text.find(row_start); at != std::string_view::npos; at = text.find(row_start, at + 1)) ++count;
    return count;
}

template <class R>
void verify_table(const TableFiles& files, const std::string& stem, std::vector<Complaint>& all) {
    const Complaints complain(all, stem);
    std::vector<TableFault> faults;
    verifying::Readable<R> table{read_all<R>(files, stem, faults), stem};
    for (const TableFault& fault : faults) complain(fault.row, fault.detail);
    const auto file = files.content.find(stem);
    if (file == files.content.end()) return;
    if (table.written == 0 && faults.empty()) complain(0, "the table has no rows");
    if (table.written > 0 && lines_with_a_row(file->second) != table.written)
        complain(0, "not every row has a line of its own: write one row per line, indented by four blanks");
    verifying::check_text(file->second, complain);
    check_table(table, complain);
}

/// Tables that nothing reads.
void check_for_strangers(const TableFiles& files, const Matrix::Tables& tables, std::vector<Complaint>& all) {
    for (const auto& [stem, text] : files.content) {
        bool known = false;
        tables.each([&, &name = stem](const auto& table) { known |= table.stem() == name; });
        if (!known) Complaints(all, escaped(stem))(0, "nothing reads a table of this name; rename or remove the file");
    }
}

}  // namespace

std::vector<Complaint> verify(const TableFiles& files, const std::string& latest_day) {
    std::vector<Complaint> all;
    const Matrix::Tables tables{TableFiles{}};  // for their names and kinds of row
    tables.each([&]<class R>(const Table<R>& table) { verify_table<R>(files, table.stem(), all); });
    check_for_strangers(files, tables, all);
    verifying::check_across(files, all);
    if (!latest_day.empty()) verifying::check_dates(files, latest_day, all);
    std::stable_sort(all.begin(), all.end(), [](const Complaint& a, const Complaint& b) {
        return std::tie(a.table, a.row) < std::tie(b.table, b.row);
    });
    return all;
}

std::size_t rows_written(const TableFiles& files) {
    std::size_t rows = 0;
    std::vector<TableFault> faults;
    const Matrix::Tables tables{TableFiles{}};  // for their names and kinds of row
    tables.each([&]<class R>(const Table<R>& table) { rows += read_all<R>(files, table.stem(), faults).written; });
    return rows;
}

}  // namespace rnncheck
