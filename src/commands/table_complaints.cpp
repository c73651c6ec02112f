#include "commands/table_complaints.hpp"

#include <chrono>

#include "log/read_log.hpp"

namespace rnncheck {

namespace {

/// The latest day that it can be anywhere: tomorrow in UTC.
std::string latest_day() {
    const std::chrono::year_month_day day =
        std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now()) + std::chrono::days(1);
    const auto two_digits = [](unsigned number) { return (number < 10 ? "0" : "") + std::to_string(number); };
    return std::to_string(static_cast<int>(day.year())) + "-" + two_digits(static_cast<unsigned>(day.month())) + "-" +
           two_digits(static_cast<unsigned>(day.day()));
}

}  // namespace

std::vector<Issue> complaints_about(const Tables& tables) {
    std::vector<Issue> complaints = verify(tables, latest_day());
    for (const Issue& issue : verify_signatures(tables)) complaints.push_back(issue);
    return complaints;
}

}  // namespace rnncheck
