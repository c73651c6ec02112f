#include "report/text_parts.hpp"

#include "base/text.hpp"

namespace rnncheck {

std::string shown(std::string_view text) {
    return escaped(text);
}

std::string answer_of(const CallResult& result) {
    const std::string code = result.code == -1 ? "" : " answers " + std::to_string(result.code);
    return shown(result.call) + code + ' ' + shown(result.text);
}

static std::string age_in_words(int days) {
    constexpr int days_of_a_month = 30, days_of_a_year = 365;
    const auto count = [](int number, const char* one, const char* many) {
        return counted(static_cast<std::size_t>(number), one, many) + " old";
    };
    if (days < 2 * days_of_a_month) return count(days, "day", "days");
    if (days < 2 * days_of_a_year) return count(days / days_of_a_month, "month", "months");
    return count(days / days_of_a_year, "year", "years");
}

std::string tables_in_words(const ToolStamp& tool) {
    return "tables of " + shown(tool.matrix_date) +
           (tool.matrix_age_days ? ", " + age_in_words(*tool.matrix_age_days) : "");
}

}  // namespace rnncheck
