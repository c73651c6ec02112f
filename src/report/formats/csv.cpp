// A table for spreadsheets and databases: RFC 4180, with plain line ends.
#include "base/text.hpp"
#include "report/outline.hpp"

namespace rnncheck::formats::csv {

/// In quotes. A text that a spreadsheet would take for a formula begins with an apostrophe
/// (https://owasp.org/www-community/attacks/CSV_Injection).
static std::string cell(std::string_view value) {
    std::string text = shown(value);
    if (!text.empty() && contains("=+-@\t\r", text.substr(0, 1)))
        text.insert(0, "'");
    replace_all(text, "\"", "\"\"");
    return '"' + text + '"';
}

/// For documents without a table of their own: the report, a model.
static std::vector<std::vector<std::string>> findings_of(const Outline& outline) {
    std::vector<std::vector<std::string>> rows = {{"severity", "rule", "subject", "message"}};
    for (const Finding& finding : outline.findings)
        rows.push_back(
            {std::string(name_of(finding.severity)),
             finding.rule,
             finding.subject,
             message_of(finding)});
    return rows;
}

/// The rows of a document that compares machines, else its findings.
static std::string write(const Outline& outline, const Style&) {
    auto rows = outline.rows;
    if (rows.empty())
        rows = findings_of(outline);
    std::string text;
    for (const auto& row : rows)
        text += join(mapped(row, cell), ",") + '\n';
    return text;
}

extern const Format format{
    .title = "A table: the findings, or what differs between machines",
    .write = write,
};

}  // namespace rnncheck::formats::csv
