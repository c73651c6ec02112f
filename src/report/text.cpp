#include "report/text.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace rnncheck {

namespace {

constexpr std::string_view code_of(TextStyle how) {
    switch (how) {
        case TextStyle::red:
            return "\x1b[1;31m";
        case TextStyle::yellow:
            return "\x1b[33m";
        case TextStyle::green:
            return "\x1b[32m";
        case TextStyle::cyan:
            return "\x1b[36m";
        case TextStyle::bold:
            return "\x1b[1m";
        case TextStyle::faint:
            break;
    }
    return "\x1b[2m";
}

}  // namespace

std::string styled(const Style& style, TextStyle how, std::string_view text) {
    if (!style.color || text.empty()) return std::string(text);
    return std::string(code_of(how)) + std::string(text) + "\x1b[0m";
}

std::size_t columns_of(std::string_view text) {
    std::size_t columns = 0;
    bool in_code = false;
    for (const char c : text) {
        if (c == '\x1b')
            in_code = true;
        else if (in_code)
            in_code = c != 'm';
        else
            columns += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    }
    return columns;
}

std::string wrapped(std::string_view first, std::string_view text, std::size_t indent) {
    const std::string margin(indent == std::string_view::npos ? columns_of(first) : indent, ' ');
    std::string out(first);
    std::size_t column = columns_of(first);
    bool at_start = true;
    for (const std::string& word : split(text, ' ')) {
        const std::size_t width = columns_of(word);
        if (!at_start && column + 1 + width > page_width) {
            out += '\n' + margin;
            column = margin.size();
            at_start = true;
        }
        if (!at_start) out += ' ';
        out += word;
        column += width + !at_start;
        at_start = false;
    }
    return out + '\n';
}

std::string padded(std::string_view text, std::size_t width) {
    const std::size_t columns = columns_of(text);
    return std::string(text) + std::string(width - std::min(width, columns), ' ');
}

std::string label(std::string_view word, std::size_t width) {
    return "  " + padded(word, width);
}

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
        return pluralized(static_cast<std::size_t>(number), one, many) + " old";
    };
    if (days < 2 * days_of_a_month) return count(days, "day", "days");
    if (days < 2 * days_of_a_year) return count(days / days_of_a_month, "month", "months");
    return count(days / days_of_a_year, "year", "years");
}

std::string tables_in_words(const ToolStamp& tool) {
    return "tables of " + shown(tool.matrix_date) +
           (tool.matrix_age_days ? ", " + age_in_words(*tool.matrix_age_days) : "");
}

std::string headline(const Report& report) {
    return "rnncheck " + shown(report.tool.version) + ": " +
           shown(report.sentence.empty() ? sentence_of(report) : report.sentence);
}

}  // namespace rnncheck
