#include "commands/matrix_age.hpp"

#include "base/program.hpp"
#include "matrix/tables.hpp"

namespace rnncheck {

std::optional<int> days_from(std::string_view date, std::chrono::sys_days today) {
    const auto read = parse_date(date);
    if (!read || *read > today) return std::nullopt;
    return static_cast<int>((today - *read).count());
}

void add_age(ToolStamp& tool) {
    tool.matrix_age_days =
        days_from(tool.matrix_date, std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now()));
}

ToolStamp stamp_with(std::string matrix_date, std::string matrix_digest) {
    ToolStamp stamp;
    stamp.version = version_of_rnncheck();
    stamp.matrix_date = std::move(matrix_date);
    stamp.matrix_digest = std::move(matrix_digest);
    add_age(stamp);
    return stamp;
}

}  // namespace rnncheck
