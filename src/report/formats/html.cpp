// One page to hand to a colleague: no script, nothing loaded from elsewhere, light and dark, for screen, paper and
// screen readers.
#include "base/text.hpp"
#include "report/outline.hpp"

namespace rnncheck::formats::html {

namespace {

constexpr const char* head = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>
:root{--ink:#1b1f24;--page:#fff;--soft:#f1f3f5;--line:#c4cad1;--faint:#57606a;--bad:#b3261e;--warn:#855300;--good:#1a6b34;--link:#0550ae}
@media (prefers-color-scheme:dark){:root{--ink:#e6e9ec;--page:#15181c;--soft:#22272e;--line:#444c56;--faint:#a0a9b2;--bad:#ff8f87;--warn:#f0b34c;--good:#6fd08c;--link:#7db7ff}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
main{max-width:62rem;margin:0 auto;padding:1rem}
h1{font-size:1.5rem;line-height:1.3}h2{font-size:1.2rem;margin:2rem 0 .5rem;border-bottom:1px solid var(--line)}h3{font-size:1rem;margin:0}
a{color:var(--link)}
.faint,dt{color:var(--faint)}
.failed{color:var(--bad)}.warning,.undetermined{color:var(--warn)}.passed{color:var(--good)}.not_run{color:var(--faint)}
table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.2rem .6rem .2rem 0}th{font-weight:600}th,td.passed,td.failed,td.warning,td.undetermined,td.not_run{white-space:nowrap}
article{margin:1rem 0;padding:.8rem 1rem;background:var(--soft);border-left:.3rem solid var(--line);border-radius:.2rem;break-inside:avoid}
article.failed,article.warning,article.not_run{color:inherit}article.failed{border-color:var(--bad)}article.warning{border-color:var(--warn)}
pre{background:var(--soft);padding:.6rem;overflow-x:auto;font:.85rem/1.4 ui-monospace,monospace;margin:.5rem 0}article pre{background:var(--page);white-space:pre-wrap}
dl{margin:.5rem 0}dd{margin:0 0 .3rem 1rem}
figure{margin:1rem 0;overflow-x:auto}svg{display:block}
@media (prefers-color-scheme:dark){svg>rect{fill:var(--soft)}svg>text{fill:var(--ink)}svg g>rect{stroke:var(--line)}svg circle{fill:var(--link)}svg path{stroke:var(--bad)}svg path[stroke="#000000"]{stroke:var(--ink)}svg path[stroke="#DDDDDD"]{stroke:var(--line)}}
details>summary{cursor:pointer}
@media (max-width:36rem){tr{display:grid;grid-template-columns:6rem 1fr}td:last-child{grid-column:1/-1;padding-bottom:.6rem}}
@media print{body{font-size:11pt}pre{white-space:pre-wrap}figure{break-inside:avoid}svg{max-width:100%;height:auto}details::details-content{content-visibility:visible}}
</style>
)";

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
    for (const ChecklistLine& line : outline.checklist()) {
        std::vector<std::string> texts;
        for (const std::string& row : line.rows) texts.push_back(xml(row));
        rows += "<tr><th scope=\"row\">" + xml(line.word) + "</th><td " + class_of(line.mark) + ">" +
                mark_words[static_cast<std::size_t>(line.mark)] + "</td><td>" + join(texts, "<br>") + "</td></tr>\n";
    }
    return rows.empty() ? ""
                        : element("h2", std::string(outline.checklist_heading)) +
                              element("table", "<tbody>\n" + rows + "</tbody>");
}

std::string remedy_text(const Remedy& remedy, const char* word) {
    const std::string warning(warning_of(remedy.risk));
    std::string out = element("p", element("strong", word + std::string(":")) + " " + xml(remedy.text) +
                                       (warning.empty() ? "" : " (" + warning + ")"));
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

std::string checks(const Outline& outline, Outcome outcome, bool asked = true) {
    std::string list;
    for (const RuleVerdict& check : outline.checks)
        if (check.outcome == outcome && !check.not_asked == asked)
            list += element("dt", xml(check.rule)) + element("dd", xml(check.reason));
    return list.empty() ? "" : element("dl", list);
}

std::string all_checks(const Outline& outline) {
    std::string out, folded;
    if (const auto open = checks(outline, Outcome::undecided); !open.empty())
        out += element("h2", "Undetermined") + open;
    const auto fold = [&](const char* summary, const std::string& list) {
        if (!list.empty()) folded += element("details", element("summary", summary) + list);
    };
    fold("Checks that passed", checks(outline, Outcome::pass));
    fold("Checks that do not apply", checks(outline, Outcome::not_applicable));
    fold("Checks that were not evaluated", checks(outline, Outcome::not_applicable, false));
    return folded.empty() ? out : out + element("h2", "Checks") + folded;
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
    for (const OutlineSection& section : outline.sections())
        body += element("h2", xml(section.heading)) + fixed(section.text, section.heading);
    for (const std::string& picture : outline.pictures()) body += element("figure", picture, "tabindex=\"0\"");
    body += all_checks(outline);
    return head + element("title", "rnncheck: " + xml(outline.sentence)) + "</head>\n<body>\n" + element("main", body) +
           "</body>\n</html>\n";
}

}  // namespace

extern const Format format{.title = "One HTML page with pictures, without scripts", .write = write};

}  // namespace rnncheck::formats::html
