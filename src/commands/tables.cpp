#include "commands/tables.hpp"

#include "base/program.hpp"
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
    const auto latest = today() + std::chrono::days(1);  // it can be tomorrow elsewhere
    std::vector<Issue> issues = verify(tables, utc_time(latest).substr(0, std::size("2026-11-21") - 1));
    for (Issue& issue : verify_signatures(tables)) issues.push_back(std::move(issue));
    return issues;
}

std::optional<int> days_from(std::string_view date, std::chrono::sys_days today) {
    const auto read = parse_date(date);
    if (!read || *read > today) return std::nullopt;
    return static_cast<int>((today - *read).count());
}

ToolStamp stamp_with(std::string matrix_date, std::string matrix_digest) {
    ToolStamp stamp{.matrix_date = std::move(matrix_date), .matrix_digest = std::move(matrix_digest)};
    if (!commit_of_rnncheck().empty()) stamp.commit = commit_of_rnncheck();
    stamp.matrix_age_days = days_from(stamp.matrix_date, today());
    return stamp;
}

}  // namespace rnncheck
