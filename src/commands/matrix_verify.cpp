// Says everything that is wrong with the tables.
#include <memory>

#include "commands/common_options.hpp"
#include "commands/matrix_age.hpp"
#include "commands/matrix_commands.hpp"
#include "commands/output.hpp"
#include "commands/table_complaints.hpp"
#include "report/documents.hpp"

namespace rnncheck {

namespace {

int run(const std::string& directory, bool json) {
    const Tables tables(directory.empty() ? bundled_table_files() : table_files_of(directory));
    VerifyDocument document;
    document.tool = stamp_with(tables.files.date, tables.files.digest);
    document.rows = static_cast<int>(rows_written(tables));
    for (const Issue& issue : complaints_about(tables))
        document.complaints.push_back({issue.table, static_cast<int>(issue.row), issue.text});
    print_document(json ? json_text(document) : table_text(document, tables.files.place));
    return document.complaints.empty() ? healthy : problem;
}

}  // namespace

std::function<int()> declare_matrix_verify(CLI::App& app) {
    const auto directory = std::make_shared<std::string>();
    const auto json = std::make_shared<bool>(false);
    app.add_option("DIR,--matrix", *directory, "Directory of tables; default: those built into rnncheck")
        ->type_name("DIR");
    add_json_option(app, *json);
    return [directory, json] { return run(*directory, *json); };
}

}  // namespace rnncheck
