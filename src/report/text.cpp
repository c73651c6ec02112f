// The page that all text is written to, and the words, marks and colors that its parts share.
#include "report/text.hpp"

#include <algorithm>

#include "base/lists.hpp"
#include "base/text.hpp"

namespace rnncheck {

namespace {

/// A mark in UTF-8 and in ASCII, and its color.
struct MarkLook {
    std::string_view mark, ascii;
    TextStyle style;
};

constexpr MarkLook mark_looks[] = {
    {"✓", "[ok]", TextStyle::green},
    {"✗", "[!!]", TextStyle::red},
    {"!", "[ !]", TextStyle::yellow},
    {"?", "[??]", TextStyle::yellow},
    {"–", "[--]", TextStyle::faint}};

/// SGR codes of ECMA-48, in the order of TextStyle.
constexpr std::string_view style_codes[] = {
    "\x1b[1;31m", "\x1b[33m", "\x1b[32m", "\x1b[36m", "\x1b[1m", "\x1b[2m"};

/// "today", "59 days old", "23 months old", "2 years old": in the largest unit
/// of which there are two.
std::string age_in_words(int days) {
    constexpr int days_of_a_month = 30, days_of_a_year = 365;
    const auto count = [](int number, const char* one, const char* many) {
        return pluralized(number, one, many) + " old";
    };
    if (days == 0)
        return "today";
    if (days < 2 * days_of_a_month)
        return count(days, "day", "days");
    if (days < 2 * days_of_a_year)
        return count(days / days_of_a_month, "month", "months");
    return count(days / days_of_a_year, "year", "years");
}

}  // namespace

std::string shown(std::string_view text) {
    return escaped(text);
}

std::string known(
    std::string_view before, const std::optional<std::string>& value, std::string_view after) {
    if (!value)
        return "";
    return concat(before, shown(*value), after);
}

std::string known(
    std::string_view before, const std::optional<Version>& value, std::string_view after) {
    if (!value)
        return "";
    return known(before, std::optional(value->text), after);
}

/// Escaped first, so that no control character is left.
std::string with_entities(std::string_view text, Entities entities, std::size_t most) {
    std::string safe;
    for (const char letter : escaped(text, most)) {
        const auto* const entity =
            find_where(entities, [&](const auto& known) { return known.first == letter; });
        if (entity)
            safe += entity->second;
        else
            safe += letter;
    }
    return safe;
}

std::string xml(std::string_view text, std::size_t most) {
    return with_entities(
        text,
        {{'<', "&lt;"}, {'>', "&gt;"}, {'&', "&amp;"}, {'"', "&quot;"}, {'\'', "&#39;"}},
        most);
}

std::string xml_lines(std::string_view text) {
    return join(mapped(split(text, '\n'), [](const std::string& line) { return xml(line); }), "\n");
}

std::size_t columns_of(std::string_view text) {
    std::size_t columns = 0;
    bool in_code = false;
    for (const char c : text) {
        // A code ends with 'm'; of UTF-8 only first bytes count.
        if (c == '\x1b')
            in_code = true;
        else if (in_code)
            in_code = c != 'm';
        else
            columns += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    }
    return columns;
}

std::string padded(std::string_view text, std::size_t width) {
    return std::string(text) + std::string(width - std::min(width, columns_of(text)), ' ');
}

/// In columns, not in bytes: names of GPUs and paths may be UTF-8.
std::vector<std::string> aligned(const std::vector<std::vector<std::string>>& rows) {
    std::vector<std::size_t> widths;
    for (const auto& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], columns_of(row[i]));
    }
    std::vector<std::string> lines;
    for (const auto& row : rows) {
        std::string& line = lines.emplace_back();
        for (std::size_t i = 0; i < row.size(); ++i)
            line += padded(row[i], widths[i] + 2);
        line.erase(line.find_last_not_of(' ') + 1);
    }
    return lines;
}

std::string shortened(std::string_view text, std::size_t width) {
    if (columns_of(text) <= width)
        return std::string(text);
    std::string kept;
    for (const std::string& word : split(text, ' ')) {
        // A blank before the word and "..." behind it.
        if (columns_of(kept) + 1 + columns_of(word) + 3 > width)
            break;
        if (!kept.empty())
            kept += " ";
        kept += word;
    }
    return kept + "...";
}

std::string matrix_date_in_words(const ToolStamp& tool) {
    if (!tool.matrix_age_days)
        return shown(tool.matrix_date);
    return shown(tool.matrix_date) + ", " + age_in_words(*tool.matrix_age_days);
}

std::string id_in_words(std::string_view id) {
    std::string words(id);
    std::ranges::replace(words, '_', ' ');
    return words;
}

Mark mark_of(OverallVerdict verdict) {
    constexpr Mark marks[] = {Mark::passed, Mark::warning, Mark::failed, Mark::undetermined};
    return marks[static_cast<std::size_t>(verdict)];
}

const SeverityLook& look_of(Severity severity) {
    static constexpr SeverityLook looks[] = {
        {Mark::failed, TextStyle::red, "Problem"},
        {Mark::warning, TextStyle::yellow, "Warning"},
        {Mark::not_run, TextStyle::cyan, "Note"}};
    return looks[static_cast<std::size_t>(severity)];
}

std::string text_with_warning(const Remedy& remedy) {
    constexpr std::string_view warnings[] = {
        "",
        " (needs administrator rights)",
        " (interrupts running programs)",
        " (destroys data: read the documentation first)"};
    return concat(remedy.text, warnings[static_cast<std::size_t>(remedy.risk)]);
}

/// In their order in the report, which is by name.
std::vector<const RuleVerdict*> checks_with(
    const std::vector<RuleVerdict>& checks, Outcome outcome, bool evaluated) {
    std::vector<const RuleVerdict*> found;
    for (const RuleVerdict& check : checks)
        if (check.outcome == outcome && !check.not_evaluated == evaluated)
            found.push_back(&check);
    return found;
}

const std::string& title_of(const Finding& finding) {
    if (finding.title.empty())
        return finding.message;
    return finding.title;
}

/// Below 40 columns a table of words would break at every word.
std::size_t Page::width() const {
    constexpr std::size_t narrowest = 40;
    return std::clamp(style_.width, narrowest, widest_prose);
}

std::string Page::styled(TextStyle how, std::string_view text) const {
    if (!style_.color || text.empty())
        return std::string(text);
    return std::string(style_codes[static_cast<std::size_t>(how)]) + std::string(text) + "\x1b[0m";
}

std::string Page::mark(Mark mark) const {
    const MarkLook& look = mark_looks[static_cast<std::size_t>(mark)];
    if (style_.ascii)
        return styled(look.style, look.ascii);
    return styled(look.style, look.mark);
}

void Page::line(std::string_view text) {
    text_ += text;
    text_ += '\n';
}

void Page::wrap(std::string_view first, std::string_view text, std::size_t indent) {
    if (indent == std::string_view::npos)
        indent = columns_of(first);
    const std::string margin(indent, ' ');
    text_ += first;
    std::size_t column = columns_of(first);
    bool at_start = true;
    for (const std::string& word : split(text, ' ')) {
        const std::size_t columns = columns_of(word);
        // A word that is longer than a line has the line to itself.
        if (!at_start && column + 1 + columns > width()) {
            text_.erase(text_.find_last_not_of(' ') + 1);
            text_ += '\n' + margin;
            column = margin.size();
            at_start = true;
        }
        if (!at_start)
            text_ += ' ';
        text_ += word;
        column += columns + !at_start;
        at_start = false;
    }
    text_ += '\n';
}

void Page::labelled(std::string_view word, std::string_view text, std::size_t width) {
    if (!text.empty())
        wrap("  " + padded(word, width), text);
}

void Page::unwrapped(std::string_view word, std::string_view text) {
    if (!text.empty())
        line("  " + padded(word, label_width) + std::string(text));
}

void Page::command(std::string_view word, std::string_view command) {
    unwrapped(word, styled(TextStyle::bold, shown(command)));
}

void Page::heading(std::string_view title) {
    line();
    line(styled(TextStyle::bold, title));
}

/// Marks are ASCII already; what is not comes from outside.
std::string Page::text() const {
    if (!style_.ascii)
        return text_;
    std::string safe;
    for (const char c : text_) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x80)
            safe += c;
        else
            append_hex(safe += "\\x", byte);
    }
    return safe;
}

std::string headline(
    const ToolStamp& tool, Mark mark, std::string_view sentence, const Page& page) {
    return "rnncheck " + shown(tool.version) + "   " + page.mark(mark) + ' ' + shown(sentence);
}

std::string headline(const Report& report, const Page& page) {
    return headline(report.tool, mark_of(report.verdict), sentence_of(report), page);
}

}  // namespace rnncheck
