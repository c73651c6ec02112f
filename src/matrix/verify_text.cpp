// What can be told from the text of a table, of its sources and of its commands.
#include <algorithm>

#include "base/json.hpp"
#include "matrix/lint.hpp"

namespace rnncheck::lint {

namespace {

/// ASCII's and, in UTF-8, those of Latin-1.
bool has_control_character(const std::string& text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if (byte < 0x20 || byte == 0x7f) return true;
        if (byte == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0) return true;
    }
    return false;
}

void check_characters(const Json& value, const std::string& name, const Row& row, const Report& report) {
    if (value.is_string() && has_control_character(value.get_ref<const std::string&>()))
        report(row, "'{}' contains a control character; remove it", name);
    if (!value.is_structured()) return;
    for (const auto& [key, part] : value.items()) check_characters(part, value.is_object() ? key : name, row, report);
}

std::size_t lines_with_a_row(std::string_view text) {
    constexpr std::string_view row_start = "\n    {\"";
    std::size_t count = 0;
    for (auto at = text.find(row_start); at != std::string_view::npos; at = text.find(row_start, at + 1)) ++count;
    return count;
}

std::string digits_at(std::string_view text, std::size_t at) {
    const auto begin = text.begin() + static_cast<std::ptrdiff_t>(std::min(at, text.size()));
    return {begin, std::find_if_not(begin, text.end(), is_digit)};
}

/// "118" is 11.8, "92" is 9.2; nothing for what is no toolkit written so.
std::optional<Version> toolkit_of(const std::string& digits) {
    if (digits.size() < 2 || digits.size() > 3) return std::nullopt;
    const auto toolkit = parse_version(digits.substr(0, digits.size() - 1) + "." + digits.back());
    constexpr int oldest = 7;  // "cu12" is CUDA 12, not 1.2
    return toolkit && toolkit->major() >= oldest ? toolkit : std::nullopt;
}

/// The toolkits that a flavour or command names: cu118 in any place, cuda12 and cuda-12 with the major alone.
std::vector<Version> toolkits_named(std::string_view text) {
    std::vector<Version> named;
    for (auto at = text.find("cu"); at != std::string_view::npos; at = text.find("cu", at + 1)) {
        if (at > 0 && is_letter_or_digit(text[at - 1])) continue;
        const bool in_full = text.substr(at).starts_with("cuda");
        std::size_t number = at + (in_full ? 4 : 2);
        if (in_full && text.substr(number).starts_with('-')) ++number;
        const std::string digits = digits_at(text, number);
        if (in_full && digits.size() == 2) named.push_back(*parse_version(digits));
        if (const auto toolkit = toolkit_of(digits); toolkit && !in_full) named.push_back(*toolkit);
    }
    // PaddlePaddle writes the toolkit of its packages so: 2.6.1.post117.
    constexpr std::string_view suffix = ".post";
    const auto at = text.find(suffix);
    const std::string digits = at == std::string_view::npos ? "" : digits_at(text, at + suffix.size());
    if (const auto toolkit = toolkit_of(digits); toolkit && digits.size() == 3) named.push_back(*toolkit);
    return named;
}

void check_toolkits(const std::string& text, const char* column, const FrameworkBuild& row, const Report& report) {
    for (const Version& named : toolkits_named(text)) {
        const bool major_alone = !contains(named.text, ".");
        if (!row.cuda || (major_alone ? named.major() != row.cuda->major() : named != *row.cuda))
            report(row, "column '{}' names CUDA {}, the row {}; correct one of them", column, named,
                   row.cuda ? "CUDA " + row.cuda->text : "none");
    }
}

void check_python(const std::optional<Version>& python, const char* column, const Row& row, const Report& report) {
    if (!python || !is_date(row.source.seen)) return;
    // 3.9 came in October 2020 and one minor each October since (PEP 602); wheels for the next are made a year ahead.
    constexpr int year_of_3_0 = 2011;
    const int newest = std::stoi(row.source.seen.substr(0, 4)) - year_of_3_0 + 1;
    if (python->major() > 3 || (python->major() == 3 && python->minor() > newest))
        report(row, "column '{}': there was no Python {} on {}, when the source was seen; correct it", column, *python,
               row.source.seen);
}

}  // namespace

void check_text(std::string_view text, const TableHead& head, const Report& report) {
    if (head.written > 0 && lines_with_a_row(text) != head.written)
        report.whole("not every row has a line of its own: write one row per line, indented by four blanks");
    const Json table = Json::parse(text);
    for (const auto& [part, value] : table.items()) {
        if (part != "about" && part != "columns" && part != "holes" && part != "sources" && part != "rows")
            report.whole("the head has no '{}'; remove it", part);
        Row place;
        if (part != "rows" || !value.is_array())
            check_characters(value, part, place, report);
        else
            for (const Json& cells : value) ++place.number, check_characters(cells, part, place, report);
    }
}

void check_dates(const Tables& tables, const std::string& latest_day, std::vector<Issue>& all) {
    std::vector<Issue> ahead;
    std::size_t sources = 0;
    tables.each([&](const auto& table) {
        sources += table.read().sources.size();
        for (const auto& [id, source] : table.read().sources)
            if (is_date(source.seen) && source.seen > latest_day)
                Report{ahead, table.stem()}.whole(
                    "source '{}': 'seen' is {}, a future date; write the date on which it was read", id, source.seen);
    });
    if (2 * ahead.size() <= sources) all.insert(all.end(), ahead.begin(), ahead.end());
}

void check_install(const FrameworkBuild& row, const Report& report) {
    check_toolkits(row.build, "build", row, report);
    check_toolkits(row.install, "install", row, report);
    if (row.cuda && (contains(row.install, "/whl/cpu") || contains(row.install, "+cpu")))
        report(row, "column 'install' is the command of a build without CUDA; correct it or remove 'cuda'");
    if (!row.install.empty() && !contains(row.install, "=={version}"))
        report(row, "column 'install' pins no version or another one; write =={version}");
    check_python(row.python_first, "python_first", row, report);
    check_python(row.python_last, "python_last", row, report);
}

}  // namespace rnncheck::lint
