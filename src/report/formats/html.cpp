// One page to hand to a colleague: no script, nothing loaded from elsewhere, light and dark, for screen, paper and
// screen readers.
#include "base/text.hpp"
#include "report/outline.hpp"

namespace rnncheck::formats::html {

namespace {

constexpr const char* mark_words[] = {"ok", "problem", "warning", "undetermined", "not run"};

std::string element(const std::string& tag, const std::string& content, const std::string& attributes = "") {
    return "<" + tag + (attributes.empty() ? "" : " " + attributes) + ">" + content + "</" +
           tag.substr(0, tag.find(' ')) + ">\n";
}

std::string class_of(Mark mark) {
    return "class=\"" + std::string(name_of(mark)) + '"';
}

std::string fixed(const std::string& text, const std::string& label) {
    return element("pre", xml_lines(text), "tabindex=\"0\" role=\"group\" aria-label=\"" + xml(label) + "\"");
}

/// A link only where it is plainly one.
std::string linked(const std::string& url) {
    if (!url.starts_with("https://")) return xml(url);
    return "<a href=\"" + xml(url) + "\" rel=\"noreferrer\">" + xml(url) + "</a>";
}

std::string checklist(const Outline& outline) {
    std::string rows;
    for (const ChecklistLine& line : outline.checklist) {
        const std::vector<std::string> texts = mapped(line.rows, [](const auto& row) { return xml(row); });
        rows += "<tr><th scope=\"row\">" + xml(line.word) + "</th><td " + class_of(line.mark) + ">" +
                mark_words[static_cast<std::size_t>(line.mark)] + "</td><td>" + join(texts, "<br>") + "</td></tr>\n";
    }
    return rows.empty() ? ""
                        : element("h2", std::string(outline.checklist_heading)) +
                              element("table", "<tbody>\n" + rows + "</tbody>");
}

std::string remedy_text(const Remedy& remedy, const char* word) {
    std::string out = element("p", element("strong", word + std::string(":")) + " " + xml(text_with_warning(remedy)));
    if (!remedy.commands.empty()) out += fixed(join(remedy.commands, "\n"), "Commands");
    for (const std::string& check : remedy.checks) out += element("p", "Check: " + element("code", xml(check)));
    if (!remedy.verify.empty()) out += element("p", "Verify: " + element("code", xml(remedy.verify)));
    if (!remedy.link.empty()) out += element("p", "Docs: " + linked(remedy.link));
    return out;
}

std::string finding_text(const Finding& finding) {
    const std::string look = class_of(look_of(finding.severity).mark);
    std::string out = element(
        "h3", element("span", std::string(look_of(finding.severity).word) + ":", look) + " " + xml(title_of(finding)));
    out += element("p", xml(finding.message) + " <span class=\"faint\">" + xml(finding.rule) + ", " +
                            std::string(name_of(finding.confidence)) + "</span>");
    std::string evidence;
    for (const Evidence& item : finding.evidence)
        evidence += element("dt", xml(item.what)) +
                    element("dd", xml(item.value) + (item.source.empty() ? "" : " [" + linked(item.source) + "]"));
    if (!evidence.empty()) out += element("details", element("summary", "Evidence") + element("dl", evidence));
    if (finding.decided_by)
        out += element("p", "Confirm: " + xml(finding.decided_by->text)) +
               (finding.decided_by->command.empty() ? "" : fixed(finding.decided_by->command, "Command"));
    for (const Remedy& remedy : finding.remedies)
        out += remedy_text(remedy, &remedy == finding.remedies.data() ? "Fix" : "Or");
    return element("article", out, look);
}

std::string checks(const Outline& outline, Outcome outcome, bool evaluated = true) {
    std::string list;
    for (const RuleVerdict* check : checks_with(outline.checks, outcome, evaluated))
        list += element("dt", xml(check->rule)) + element("dd", xml(check->reason));
    return list.empty() ? "" : element("dl", list);
}

std::string all_checks(const Outline& outline) {
    const std::string open = checks(outline, Outcome::undecided);
    std::string folded;
    for (const auto& [summary, list] :
         {std::pair("Checks that passed", checks(outline, Outcome::pass)),
          std::pair("Checks that do not apply", checks(outline, Outcome::not_applicable)),
          std::pair("Checks that were not evaluated", checks(outline, Outcome::not_applicable, false))})
        if (!list.empty()) folded += element("details", element("summary", summary) + list);
    return (open.empty() ? "" : element("h2", "Undetermined") + open) +
           (folded.empty() ? "" : element("h2", "Checks") + folded);
}

std::string write(const Outline& outline, const Style&) {
    const std::string verdict = std::string(outline.word) + ":";
    std::string_view sentence = outline.sentence;
    if (sentence.starts_with(verdict)) sentence.remove_prefix(verdict.size());
    std::string body =
        element("h1", element("span", xml(verdict), class_of(mark_of(outline.verdict))) + " " + xml(trim(sentence)));
    body += element("p", xml(about_run(outline)), "class=\"faint\"") + checklist(outline);
    if (!outline.findings.empty()) body += element("h2", "Findings");
    for (const Finding& finding : outline.findings) body += finding_text(finding);
    for (const OutlineSection& section : outline.sections)
        body += element("h2", xml(section.heading)) + fixed(section.text, section.heading);
    for (const std::string& picture : outline.pictures()) body += element("figure", picture, "tabindex=\"0\"");
    body += all_checks(outline);
    return std::string(page_named(report_texts(), "html_head")) +
           element("title", "rnncheck: " + xml(outline.sentence)) + "</head>\n<body>\n" + element("main", body) +
           "</body>\n</html>\n";
}

}  // namespace

extern const Format format{.title = "One HTML page with pictures, without scripts", .write = write};

}  // namespace rnncheck::formats::html
