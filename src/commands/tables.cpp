#include "commands/tables.hpp"

#include <cstdio>

#include "log/read_log.hpp"
#include "matrix/tables.hpp"

namespace rnncheck {

namespace {

std::chrono::sys_days today() {
    return std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
}

}  // namespace

Matrix matrix_from(const std::string& directory) {
    return directory.empty() ? Matrix::bundled() : Matrix::from_directory(directory);
}

TableFiles table_files_from(const std::string& directory) {
    return directory.empty() ? bundled_table_files() : table_files_of(directory);
}

std::vector<Issue> issues_in(const Tables& tables) {
    const std::chrono::year_month_day latest = today() + std::chrono::days(1);  // it can be tomorrow elsewhere
    char date[32];
    std::snprintf(date, sizeof date, "%04d-%02u-%02u", static_cast<int>(latest.year()),
                  static_cast<unsigned>(latest.month()), static_cast<unsigned>(latest.day()));
    std::vector<Issue> issues = verify(tables, date);
    for (Issue& issue : verify_signatures(tables)) issues.push_back(std::move(issue));
    return issues;
}

std::optional<int> days_from(std::string_view date, std::chrono::sys_days today) {
    const auto read = parse_date(date);
    if (!read || *read > today) return std::nullopt;
    return static_cast<int>((today - *read).count());
}

void add_age(ToolStamp& tool) {
    tool.matrix_age_days = days_from(tool.matrix_date, today());
}

ToolStamp stamp_with(std::string matrix_date, std::string matrix_digest) {
    ToolStamp stamp{.matrix_date = std::move(matrix_date), .matrix_digest = std::move(matrix_digest)};
    add_age(stamp);
    return stamp;
}

}  // namespace rnncheck
