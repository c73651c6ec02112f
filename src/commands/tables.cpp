#include "commands/tables.hpp"

#include "base/lists.hpp"
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
    std::vector<Issue> issues = verify(tables);
    append(issues, verify_signatures(tables));
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
