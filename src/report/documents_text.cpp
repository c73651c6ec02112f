#include <algorithm>

#include "base/text.hpp"
#include "report/documents.hpp"
#include "report/text.hpp"

namespace rnncheck {

namespace {

constexpr std::size_t widest_cell = 24;

std::string cell(const TableRow& row, const std::string& column) {
    const auto found = row.values.find(column);
    return found == row.values.end() ? "" : shown(found->second);
}

/// A column of the page: aligned, or, where a cell is long, told below the row.
struct PageColumn {
    std::string name;
    std::size_t width = 0;

    bool is_long() const { return width > widest_cell; }
};

/// Those that some row says something in.
std::vector<PageColumn> page_columns(const TableDocument& document) {
    std::vector<PageColumn> columns;
    for (const TableColumn& column : document.columns) {
        PageColumn page{shown(column.name), 0};
        for (const TableRow& row : document.rows) page.width = std::max(page.width, columns_of(cell(row, column.name)));
        if (page.width > 0) columns.push_back(std::move(page));
    }
    for (PageColumn& column : columns)
        if (!column.is_long()) column.width = std::max(column.width, columns_of(column.name));
    return columns;
}

/// Numbers the sources in the order of their first row.
class SourceList {
  public:
    std::size_t number_of(const RowSource& source) {
        const auto same = [&](const RowSource& other) {
            return other.title == source.title && other.url == source.url;
        };
        const auto found = std::find_if(sources_.begin(), sources_.end(), same);
        if (found != sources_.end()) return static_cast<std::size_t>(found - sources_.begin()) + 1;
        sources_.push_back(source);
        return sources_.size();
    }

    std::string text() const {
        std::string text;
        for (std::size_t i = 0; i < sources_.size(); ++i) {
            const std::string number = padded("[" + std::to_string(i + 1) + "]", 5);
            text += wrapped(number, shown(sources_[i].title) + ", seen " + shown(sources_[i].seen));
            text += std::string(number.size(), ' ') + shown(sources_[i].url) + '\n';
        }
        return text;
    }

  private:
    std::vector<RowSource> sources_;
};

constexpr std::size_t provenance_width = std::string_view("unconfirmed").size();

std::string heading(const std::vector<PageColumn>& columns, const Style& style) {
    std::string line;
    for (const PageColumn& column : columns)
        if (!column.is_long()) line += padded(column.name, column.width) + "  ";
    return styled(style, TextStyle::bold, line + padded("provenance", provenance_width) + "  source") + '\n';
}

std::string row_text(const TableRow& row, const std::vector<PageColumn>& columns, std::size_t source) {
    std::string line, below;
    for (const PageColumn& column : columns) {
        const std::string value = cell(row, column.name);
        if (!column.is_long())
            line += padded(value, column.width) + "  ";
        else if (!value.empty())
            below += wrapped("    " + column.name + ": ", value, 6);
    }
    if (row.note && !row.note->empty()) below += wrapped("    note: ", shown(*row.note), 6);
    return line + padded(shown(row.provenance), provenance_width) + "  [" + std::to_string(source) + "]\n" + below;
}

std::string of_matrix(const ToolStamp& tool) {
    return tables_in_words(tool) + ", " + shown(tool.matrix_digest) + '\n';
}

std::string not_found(const LibraryChoice& choice) {
    return choice.by_dlopen ? "not found; it matters only if the program asks for it" : "not found";
}

std::string paragraph(const LibraryChoice& choice, const Style& style) {
    std::string text = '\n' + styled(style, TextStyle::bold, shown(choice.soname)) + '\n';
    const TextStyle how = choice.by_dlopen ? TextStyle::yellow : TextStyle::red;
    text += label("copy", 6) + (choice.path ? shown(*choice.path) : styled(style, how, not_found(choice))) + '\n';
    text += wrapped(label("why", 6), shown(choice.why));
    if (choice.needed_by)
        text += label(choice.by_dlopen ? "opened by" : "needed by", 6) + "  " + shown(*choice.needed_by) + '\n';
    for (const auto& candidate : choice.candidates) {
        text += label("not", 6) + shown(candidate.path) + '\n';
        text += wrapped(label("", 6), shown(candidate.why_not));
    }
    return text;
}

TextStyle style_of(SelftestOutcome outcome) {
    switch (outcome) {
        case SelftestOutcome::passed:
            return TextStyle::green;
        case SelftestOutcome::restricted:
            return TextStyle::yellow;
        case SelftestOutcome::failed:
            break;
    }
    return TextStyle::red;
}

std::string sentence(const SelftestDocument& document) {
    const auto count = [&](SelftestOutcome outcome) {
        return static_cast<std::size_t>(std::ranges::count(document.checks, outcome, &SelftestCheck::outcome));
    };
    if (const auto failed = count(SelftestOutcome::failed))
        return "the self-test failed in " + pluralized(failed, "check", "checks") +
               "; do not rely on reports made here";
    if (const auto restricted = count(SelftestOutcome::restricted))
        return "the self-test passed with " + pluralized(restricted, "restriction", "restrictions") +
               "; reports made here are incomplete but not incorrect";
    return "the self-test passed in all " + pluralized(document.checks.size(), "check", "checks");
}

}  // namespace

std::string table_text(const TablesDocument& document, const Style& style) {
    std::string text;
    for (const TableSummary& table : document.tables) {
        text += styled(style, TextStyle::bold, shown(table.name)) + "  " +
                pluralized(static_cast<std::size_t>(table.rows), "row", "rows") + ", newest source " +
                shown(table.newest_source) + '\n';
        text += wrapped("    ", shown(table.about)) + '\n';
    }
    return text + of_matrix(document.tool);
}

std::string table_text(const TableDocument& document, const Style& style) {
    std::string text =
        wrapped(styled(style, TextStyle::bold, shown(document.table)) + ": ", shown(document.about), 2) + '\n';
    if (document.rows.empty()) return text + "no row matches\n";
    const std::vector<PageColumn> columns = page_columns(document);
    SourceList sources;
    text += heading(columns, style);
    for (const TableRow& row : document.rows) text += row_text(row, columns, sources.number_of(row.source));
    return text + '\n' + sources.text() + '\n' + of_matrix(document.tool);
}

std::string table_text(const VerifyDocument& document, const std::string& directory) {
    std::string text;
    for (const TableIssue& issue : document.issues)
        text += shown(directory + "/" + issue.table + ".json") +
                (issue.row > 0 ? ", row " + std::to_string(issue.row) : "") + ": " + shown(issue.text) +
                '\n';
    const auto rows = pluralized(static_cast<std::size_t>(document.rows), "row", "rows");
    return text + rows + ", " + pluralized(document.issues.size(), "issue", "issues") + '\n';
}

std::string which_text(const WhichDocument& document, const Style& style) {
    std::string text = wrapped("", shown(document.target));
    for (const auto& note : document.notes) text += wrapped("  note: ", shown(note));
    if (document.libraries.empty()) text += "\nno such library is needed or opened by name\n";
    for (const auto& choice : document.libraries) text += paragraph(choice, style);
    return text;
}

std::string selftest_text(const SelftestDocument& document, const Style& style) {
    std::string text = wrapped("", "rnncheck " + shown(document.tool.version) + ": " + sentence(document), 2) + '\n';
    for (const SelftestCheck& check : document.checks)
        text += wrapped("  " + styled(style, style_of(check.outcome), padded(name_of(check.outcome), 10)) + "  " +
                            padded(check.name, 15) + "  ",
                        shown(check.text));
    return text;
}

}  // namespace rnncheck
