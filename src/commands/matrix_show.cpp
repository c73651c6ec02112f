// Shows the tables, or the rows of one.
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "base/text.hpp"
#include "commands/command.hpp"
#include "commands/common_options.hpp"
#include "commands/ids.hpp"
#include "commands/matrix_age.hpp"
#include "commands/matrix_commands.hpp"
#include "commands/output.hpp"
#include "matrix/table_view.hpp"
#include "report/documents.hpp"

namespace rnncheck {

namespace {

struct ShowOptions {
    std::string table, directory;
    std::vector<std::string> filters;
    bool json = false;
};

TableSummary summary_of(const TableOutline& table) {
    return {table.name, table.about, static_cast<int>(table.rows), table.newest_source};
}

TableRow document_row(const ViewedRow& row) {
    TableRow written;
    written.values = row.cells;
    written.source = {row.common.source.title, row.common.source.url, row.common.source.seen};
    written.provenance = name_of(row.common.provenance);
    if (!row.common.note.empty()) written.note = row.common.note;
    return written;
}

TableDocument document_of(const TableView& view) {
    TableDocument document;
    document.table = view.name;
    document.about = view.about;
    for (const Column& column : view.columns) document.columns.push_back({column.name, column.type});
    for (const ViewedRow& row : view.rows) document.rows.push_back(document_row(row));
    return document;
}

template <class Document>
int print(Document document, const TableFiles& files, bool json) {
    document.tool = stamp_with(files.date, files.digest);
    const Style style = style_on(STDOUT_FILENO);
    print_document(json ? json_text(document) : table_text(document, style));
    return healthy;
}

int show_all(const TableFiles& files, bool json) {
    TablesDocument document;
    for (const TableOutline& table : table_outlines(files)) document.tables.push_back(summary_of(table));
    return print(std::move(document), files, json);
}

int run(const ShowOptions& given) {
    const TableFiles files = given.directory.empty() ? bundled_table_files() : table_files_of(given.directory);
    if (given.table.empty()) return show_all(files, given.json);
    const std::vector<std::string> names = table_names();
    if (std::find(names.begin(), names.end(), given.table) == names.end())
        complain_about_word(given.table, "TABLE", names);
    TableView view = table_view(files, given.table);
    for (const std::string& filter : given.filters) keep_matching(view, parse_filter(filter));
    return print(document_of(view), files, given.json);
}

}  // namespace

std::function<int()> declare_matrix_show(CLI::App& app) {
    const auto given = std::make_shared<ShowOptions>();
    app.add_option("TABLE", given->table,
                   "One of " + join_with_and(table_names()) + "; without it, all tables are listed");
    app.add_option("FILTER", given->filters, "Rows to show, e.g. cudnn=8.9.7")->type_name("COLUMN=VALUE");
    add_matrix_option(app, given->directory);
    add_json_option(app, given->json);
    return [given] { return run(*given); };
}

}  // namespace rnncheck
