#include "commands/matrix_age.hpp"

#include "base/program.hpp"
#include "base/text.hpp"
#include "base/version.hpp"

namespace rnncheck {

std::optional<int> days_from(std::string_view date, std::chrono::sys_days today) {
    const auto parts = split(date, '-');
    if (parts.size() != 3) return std::nullopt;
    const auto numbers = parse_version(join(parts, "."));
    if (!numbers) return std::nullopt;
    const auto& [year, month, day, none] = numbers->parts;
    const std::chrono::year_month_day read{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                           std::chrono::day(static_cast<unsigned>(day))};
    if (!read.ok() || std::chrono::sys_days(read) > today) return std::nullopt;
    return static_cast<int>((today - std::chrono::sys_days(read)).count());
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
