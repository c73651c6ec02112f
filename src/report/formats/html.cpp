// One page to hand to a colleague: no script, nothing loaded from elsewhere, light and dark, for
// screen, paper and screen readers.
#include <algorithm>
#include <ranges>

#include "base/if_any.hpp"
#include "base/lists.hpp"
#include "base/text.hpp"
#include "report/outline.hpp"

namespace rnncheck::formats::html {

namespace {

/// What a screen reader pronounces for each mark, in the order of Mark.
constexpr const char* mark_words[] = {"ok", "problem", "warning", "undetermined", "no result"};

/// `tag` may have attributes of its own: element("th scope=\"row\"", text). The
/// caller escapes content.
std::string element(
    const std::string& tag, const std::string& content, const std::string& attributes = "") {
    return "<" + tag + if_any(" ", attributes) + ">" + content + "</" +
           tag.substr(0, tag.find(' ')) + ">\n";
}

/// The colors of html_head.txt.
std::string class_of(Mark mark) {
    return "class=\"" + std::string(name_of(mark)) + '"';
}

/// Keeps spaces and lines. It can have the focus, so that a keyboard can move
/// it sideways, and therefore a name.
std::string fixed(const std::string& text, const std::string& label) {
    return element(
        "pre", xml_lines(text), "tabindex=\"0\" role=\"group\" aria-label=\"" + xml(label) + "\"");
}

std::string code(const std::string& text) {
    return "<code>" + xml(text) + "</code>";
}

/// Below a summary, on which a click shows it.
std::string folded(const std::string& summary, const std::string& content, bool open = false) {
    std::string attribute;
    if (open)
        attribute = "open";
    return element("details", element("summary", xml(summary)) + content, attribute);
}

std::string labelled(const std::string& word, const std::string& content) {
    return element("p", "<strong>" + word + ":</strong> " + content);
}

/// A mark as in the text form, which is read aloud as `word`.
std::string symbol(Mark mark, std::string_view word) {
    return "<span role=\"img\" aria-label=\"" + xml(word) + "\" " + class_of(mark) + ">" +
           Page({}).mark(mark) + "</span>";
}

/// What leaves a narrow screen can be moved; that is not visible everywhere.
std::string wide(const std::string& content) {
    return element("p", "Scroll sideways to see all of it:", "class=\"hint faint\"") + content;
}

/// A link only where it is plainly one.
std::string linked(const std::string& url) {
    if (!url.starts_with("https://"))
        return xml(url);
    return "<a href=\"" + xml(url) + "\" rel=\"noreferrer\">" + xml(url) + "</a>";
}

/// One of the causes that an error in a log can have.
bool is_cause_in_log(const Finding& finding) {
    return finding.weight && finding.severity != Severity::note;
}

/// A line of the log, and how the evidence quotes it: "line 7: RuntimeError: cuDNN error".
struct Quote {
    LogPlace place;
    std::string text;
};

/// The lines of the log that the evidence of a finding quotes, each once.
std::vector<Quote> quotes_of(const Finding& finding, const Outline& outline) {
    std::vector<Quote> quotes;
    if (!outline.log || !is_cause_in_log(finding))
        return quotes;
    for (const Evidence& item : finding.evidence) {
        const auto place = quoted_line(item, *outline.log);
        if (place && !find_by(quotes, &Quote::place, *place))
            quotes.push_back({*place, item.value});
    }
    return quotes;
}

/// Where something is matters less than what it is: in a fainter color.
std::string row_text(const ChecklistRow& row) {
    if (row.place.empty())
        return xml(row.text);
    return xml(row.text) + " <span class=\"faint\">" + xml(row.place) + "</span>";
}

/// A table of three columns: the layer, how it is, what was found.
std::string checklist(const Outline& outline) {
    std::string rows;
    for (const ChecklistLine& line : outline.checklist) {
        const std::vector<std::string> texts = mapped(line.rows, row_text);
        const char* const word = mark_words[static_cast<std::size_t>(line.mark)];
        std::string mark = word;
        if (line.mark == Mark::not_run)
            mark = symbol(line.mark, word);
        rows += "<tr><th scope=\"row\">" + xml(line.word) + "</th><td " + class_of(line.mark) +
                ">" + mark + "</td><td>" + join(texts, "<br>") + "</td></tr>\n";
    }
    if (rows.empty())
        return "";
    return element("h2", std::string(outline.checklist_heading)) +
           element("table class=\"list\"", "<tbody>\n" + rows + "</tbody>");
}

/// `word` is "Fix" of the first remedy, "Or" of the others.
std::string remedy_text(const Remedy& remedy, const char* word) {
    const std::string text = text_with_warning(remedy);
    std::string out;
    if (remedy.text_is_code)
        out = labelled(word, "") + fixed(text, "Code");
    else
        out = labelled(word, xml(text));
    if (!remedy.commands.empty())
        out += fixed(join(remedy.commands, "\n"), "Commands");
    for (const std::string& check : remedy.checks)
        out += labelled("Check", code(check));
    if (!remedy.verify.empty())
        out += labelled("Verify", code(remedy.verify));
    if (!remedy.link.empty())
        out += labelled("Docs", linked(remedy.link));
    return out;
}

std::string remedies_text(const Finding& finding) {
    std::string out;
    const char* word = "Fix";
    for (const Remedy& remedy : finding.remedies) {
        out += remedy_text(remedy, word);
        word = "Or";
    }
    return out;
}

/// Its rule, and how sure it is unless that is certain.
std::string rule_text(const Finding& finding) {
    const bool is_certain = finding.confidence == Confidence::certain;
    std::string small = xml(finding.rule);
    if (!is_certain)
        small += ", " + std::string(name_of(finding.confidence));
    return " <span class=\"faint\">" + small + "</span>";
}

/// "Problem: The driver is too old", the word in the color of its severity.
std::string heading_text(const Finding& finding, const std::string& title) {
    const SeverityLook& look = look_of(finding.severity);
    return element(
        "h3",
        element("span", std::string(look.word) + ":", class_of(look.mark)) + " " + xml(title));
}

/// Without the lines of a log, which are shown above.
std::string evidence_text(const Finding& finding, const Outline& outline) {
    const bool has_quotes = outline.log && is_cause_in_log(finding);
    std::string evidence;
    for (const Evidence& item : finding.evidence) {
        if (has_quotes && quoted_line(item, *outline.log))
            continue;
        std::string value = xml(item.value);
        if (!item.source.empty())
            value += " [" + linked(item.source) + "]";
        evidence += element("dt", xml(item.what)) + element("dd", value);
    }
    if (evidence.empty())
        return "";
    return folded("Evidence", element("dl", evidence));
}

/// What would decide, where the evidence does not.
std::string check_text(const Finding& finding) {
    if (!finding.decided_by)
        return "";
    const std::string& command = finding.decided_by->command;
    std::string out = labelled("Check", xml(finding.decided_by->text));
    if (!command.empty())
        out += fixed(command, "Command");
    return out;
}

/// As they are in the log, each on a line of its own.
std::string quotes_text(const std::vector<Quote>& quotes) {
    if (quotes.empty())
        return "";
    return fixed(join(mapped(quotes, &Quote::text), "\n"), "Lines of the log");
}

/// A note is no reason to act: what could be done about it is folded.
std::string finding_text(const Finding& finding, const Outline& outline) {
    std::string out =
        heading_text(finding, title_of(finding)) + quotes_text(quotes_of(finding, outline));
    out += element("p", xml(finding.message) + rule_text(finding));
    std::string remedies = remedies_text(finding);
    const bool is_note = finding.severity == Severity::note && !remedies.empty();
    out += evidence_text(finding, outline) + check_text(finding);
    if (is_note)
        remedies = folded("What can be done", remedies);
    out += remedies;
    return element("article", out, class_of(look_of(finding.severity).mark));
}

/// The fix of a cause that is only possible is folded, for it may not be the cause.
std::string cause_text(const Finding& cause, const Outline& outline) {
    std::string out = element("h4", xml(title_of(cause)) + rule_text(cause));
    if (cause.message != cause.title)
        out += element("p", xml(cause.message));
    out += evidence_text(cause, outline) + check_text(cause);
    const std::string remedies = remedies_text(cause);
    if (!remedies.empty())
        out +=
            folded("Fix if this is the cause", remedies, cause.confidence != Confidence::possible);
    return element("li", out);
}

/// One error in a log is one article, with its possible causes in the order in which to check them.
std::string causes_text(const std::vector<const Finding*>& causes, const Outline& outline) {
    std::vector<Quote> quotes;
    std::string list;
    for (const Finding* cause : causes) {
        for (const Quote& quote : quotes_of(*cause, outline))
            if (!find_by(quotes, &Quote::place, quote.place))
                quotes.push_back(quote);
        list += cause_text(*cause, outline);
    }
    std::ranges::sort(quotes, {}, &Quote::place);
    const std::string title =
        "An error in the log, with " + std::to_string(causes.size()) + " possible causes";
    return element(
        "article",
        heading_text(*causes.front(), title) + quotes_text(quotes) +
            element("p", "To find out which cause it is, check in this order:") +
            element("ol", list),
        class_of(look_of(causes.front()->severity).mark));
}

/// In their order; the causes of an error in a log together at the first of
/// them.
std::string findings_text(const Outline& outline) {
    std::vector<const Finding*> causes;
    for (const Finding& finding : outline.findings)
        if (is_cause_in_log(finding))
            causes.push_back(&finding);
    std::string out;
    for (const Finding& finding : outline.findings) {
        if (causes.size() < 2 || !is_cause_in_log(finding))
            out += finding_text(finding, outline);
        else if (&finding == causes.front())
            out += causes_text(causes, outline);
    }
    if (out.empty())
        return "";
    return element("h2", "Findings") + out;
}

/// The word of a mark is in the text of the cell.
std::string cell_text(const OutlineCell& cell) {
    const std::string text = join(
        mapped(split(cell.text, '\n'), [](const std::string& line) { return xml(line); }), "<br>");
    if (!cell.mark)
        return element("td", text);
    return element("td", text, class_of(*cell.mark));
}

/// The first cell is the heading of its row, unless it is empty.
std::string table_row(const std::vector<OutlineCell>& row) {
    const std::string& first = row.front().text;
    std::string cells = element("td", "");
    if (!first.empty())
        cells = element("th scope=\"row\"", xml(first));
    for (const OutlineCell& cell : row | std::views::drop(1))
        cells += cell_text(cell);
    return element("tr", cells);
}

/// More than three columns do not fit on a phone: such a table can be moved.
std::string table_text(const OutlineTable& table) {
    std::string out;
    if (!table.title.empty())
        out = element("h3 class=\"title\"", xml(table.title));
    std::string head;
    for (const std::string& column : table.columns)
        head += element("th scope=\"col\"", xml(column));
    std::string rows;
    for (const auto& row : table.rows)
        rows += table_row(row);
    const std::string name =
        "tabindex=\"0\" role=\"group\" aria-label=\"" + xml(table.title) + "\" class=\"grid\"";
    const std::string text = element("thead", element("tr", head)) + element("tbody", rows);
    constexpr std::size_t columns_of_a_phone = 3;
    std::string grid;
    if (!rows.empty())
        grid = element("div", element("table", text), name);
    if (table.columns.size() > columns_of_a_phone)
        grid = wide(grid);
    out += grid;
    for (const std::string& sentence : table.below)
        out += element("p", xml(sentence));
    return out;
}

/// Lines without columns may be broken.
std::string section_text(const OutlineSection& section) {
    std::string text;
    for (const OutlineTable& table : section.tables)
        text += table_text(table);
    if (section.tables.empty())
        text = "<div class=\"prose\">" + fixed(section.text, section.heading) + "</div>\n";
    if (section.summary.empty())
        return element("h2", xml(section.heading)) + text;
    return element("h2", xml(section.heading)) + folded(section.summary, text);
}

/// The pictures are SVG, part of the page, and folded: they are large.
std::string charts(const Outline& outline) {
    std::string figures;
    for (const std::string& picture : outline.pictures())
        figures += element("figure", picture, "tabindex=\"0\"");
    if (figures.empty())
        return "";
    return folded("Charts: results by shape, errors, times", wide(figures));
}

/// A list of rules with their reasons; empty where no rule has that outcome.
std::string checks(const Outline& outline, Outcome outcome, bool evaluated = true) {
    std::string list;
    for (const RuleVerdict* check : checks_with(outline.checks, outcome, evaluated))
        list += element("dt", xml(check->rule)) + element("dd", xml(check->reason));
    if (list.empty())
        return "";
    return element("dl", list);
}

/// What is undetermined is shown, the rest is folded.
std::string all_checks(const Outline& outline) {
    const std::string open = checks(outline, Outcome::undecided);
    std::string passed_or_not;
    for (const auto& [summary, list] :
         {std::pair("Checks that passed", checks(outline, Outcome::pass)),
          std::pair("Checks that do not apply", checks(outline, Outcome::not_applicable)),
          std::pair(
              "Checks that were not evaluated", checks(outline, Outcome::not_applicable, false))})
        if (!list.empty())
            passed_or_not += folded(summary, list);
    std::string out;
    if (!open.empty())
        out += element("h2", "Undetermined") + open;
    if (!passed_or_not.empty())
        out += element("h2", "Checks") + passed_or_not;
    return out;
}

/// The verdict, the checklist, findings, sections, and last what few look for.
std::string write(const Outline& outline, const Style&) {
    std::string body =
        element("h1", symbol(mark_of(outline.verdict), outline.word) + " " + xml(outline.sentence));
    body += element("p", xml(about_run(outline)), "class=\"faint\"") + checklist(outline);
    body += findings_text(outline);
    for (const OutlineSection& section : outline.sections)
        body += section_text(section);
    body += charts(outline) + all_checks(outline);
    return std::string(page_named(report_texts(), "html_head")) +
           element("title", "rnncheck: " + xml(outline.sentence)) + "</head>\n<body>\n" +
           element("main", body) + "</body>\n</html>\n";
}

}  // namespace

extern const Format format{.title = "One HTML page with pictures, without scripts", .write = write};

}  // namespace rnncheck::formats::html
