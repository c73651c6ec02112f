// For an issue on GitHub or GitLab, or the summary of a CI job. GitHub takes 65,536 characters.
#include <algorithm>

#include "base/text.hpp"
#include "report/outline.hpp"

namespace rnncheck::formats::markdown {

namespace {

constexpr std::size_t most_characters = 60'000;
constexpr std::size_t kept_for_the_end = 1'000;
constexpr const char* a_finding = "a finding";

/// Text of a paragraph or a cell, in which nothing is markup, a mention or a reference to an issue.
std::string plain(std::string_view text) {
    constexpr std::string_view special = "\\`*_[]<>|~$&!", at_start = "#+-=:";
    std::string safe;
    const std::string line = shown(trim(text));
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        const bool ends_number = (c == '.' || c == ')') &&
                                 is_number(std::string_view(line).substr(0, i)) &&
                                 (i + 1 == line.size() || line[i + 1] == ' ');
        if (contains(special, {&c, 1}) || ends_number || (i == 0 && contains(at_start, {&c, 1})))
            safe += '\\';
        safe += c;
        if (c == '@' || c == '#')
            safe += "<!-- -->";
    }
    return safe;
}

/// More backticks than are together in the text, and at least `least`.
std::string code_fence(std::string_view text, std::size_t least) {
    std::size_t longest = 0, here = 0;
    for (const char c : text) {
        ++here;
        if (c != '`')
            here = 0;
        longest = std::max(longest, here);
    }
    return std::string(std::max(least, longest + 1), '`');
}

/// GitHub's parser knows no code span of more than 80 backticks and no fence of more than 255:
/// https://github.com/github/cmark-gfm/blob/master/src/inlines.c, MAXBACKTICKS. JSON stays the same
/// document.
std::string limit_backticks(std::string text) {
    replace_all(text, std::string(32, '`'), std::string(31, '`') + "\\u0060");
    return text;
}

/// A code span. Between more than one backtick a space at each end is left out
/// when it is drawn: https://spec.commonmark.org/0.31.2/#code-spans
std::string code(std::string_view text) {
    const std::string line = limit_backticks(shown(text));
    const std::string ticks = code_fence(line, 1);
    if (line.empty())
        return "";
    if (ticks.size() > 1)
        return ticks + " " + line + " " + ticks;
    return ticks + line + ticks;
}

/// A code block, whose fence is longer than any in its content.
std::string fenced(const std::string& content, const std::string& language = "") {
    std::string text = limit_backticks(content);
    const std::string ticks = code_fence(text, 3);
    if (!text.ends_with('\n'))
        text += '\n';
    return ticks + language + "\n" + text + ticks + "\n";
}

/// A table without a head, which GitHub draws only with an empty one.
std::string checklist(const Outline& outline, const Style& style) {
    if (outline.checklist.empty())
        return "";
    const Page marks({.ascii = style.ascii});
    std::string out =
        "\n### " + std::string(outline.checklist_heading) + "\n\n| | | |\n| --- | --- | --- |\n";
    for (const ChecklistLine& line : outline.checklist) {
        const std::string rows = join(
            mapped(line.rows, [](const ChecklistRow& row) { return plain(row.whole()); }), "<br>");
        out += "| " + marks.mark(line.mark) + " | " + line.word + " | " + rows + " |\n";
    }
    return out;
}

/// As it is, so that it can be followed; plain text where it is no address.
std::string link_text(const std::string& link) {
    const bool is_address =
        link.starts_with("https://") && std::ranges::all_of(link, [](char c) {
            return is_letter_or_digit(c) || contains("-._~:/?#@!$&()*+,;=%", {&c, 1});
        });
    if (is_address)
        return "<" + link + ">";
    return plain(link);
}

/// The word for automation beside the words for people.
std::string remedy_text(const Remedy& remedy, const char* word) {
    std::string out = concat(
        "\n**",
        word,
        "** (",
        code(name_of(remedy.action)),
        "): ",
        plain(text_with_warning(remedy)),
        '\n');
    if (!remedy.commands.empty())
        out += "\n" + fenced(join(mapped(remedy.commands, shown), "\n"), "sh");
    for (const std::string& check : remedy.checks)
        out += "\nCheck: " + code(check) + "\n";
    if (!remedy.verify.empty())
        out += "\nVerify: " + code(remedy.verify) + "\n";
    if (!remedy.link.empty())
        out += "\nDocs: " + link_text(remedy.link) + "\n";
    return out;
}

/// Everything about it, evidence too: the readers of an issue have no machine
/// to query.
std::string finding_text(const Finding& finding) {
    std::string out = "\n### " + std::string(look_of(finding.severity).word) + ": " +
                      plain(title_of(finding)) + "\n\n" + code(finding.rule) + ", " +
                      std::string(name_of(finding.confidence)) + ": " + plain(finding.message) +
                      "\n";
    if (!finding.evidence.empty())
        out += "\n";
    for (const Evidence& item : finding.evidence) {
        out += "- " + plain(item.what) + ": " + plain(item.value);
        if (!item.source.empty())
            out += " (" + code(item.source) + ")";
        out += "\n";
    }
    if (finding.decided_by) {
        out += "\n**Confirm**: " + plain(finding.decided_by->text) + "\n";
        if (!finding.decided_by->command.empty())
            out += "\n" + fenced(shown(finding.decided_by->command), "sh");
    }
    const char* word = "Fix";
    for (const Remedy& remedy : finding.remedies) {
        out += remedy_text(remedy, word);
        word = "Or";
    }
    return out;
}

/// An issue needs it: what was not decided may be the cause.
std::string undetermined(const Outline& outline) {
    std::string out;
    for (const RuleVerdict* check : checks_with(outline.checks, Outcome::undecided))
        out += "- " + code(check->rule) + ": " + plain(check->reason) + "\n";
    if (out.empty())
        return "";
    return "\n### Undetermined\n\n" + out;
}

/// A text, and its name for the note that it was left out for lack of space.
struct Part {
    std::string text, name;
};

/// In the order of their weight for a reader, since the last may not fit.
std::vector<Part> parts_of(const Outline& outline, const Style& style) {
    std::vector<Part> parts = {
        {"## rnncheck: " + plain(outline.sentence) + "\n", ""},
        {"\n" + plain(about_run(outline)) + "\n", "the run"}};
    for (const Finding& finding : outline.findings)
        parts.push_back({finding_text(finding), a_finding});
    parts.push_back({undetermined(outline), "the undetermined checks"});
    parts.push_back({checklist(outline, style), "the checklist"});
    for (const OutlineSection& section : outline.sections)
        parts.push_back(
            {"\n### " + section.heading + "\n\n" + fenced(section.text),
             "the section '" + section.heading + "'"});
    parts.push_back(
        {"\n<details>\n<summary>JSON</summary>\n\n" +
             fenced(outline.json({.json_lines = JsonLines::one}), "json") + "\n</details>\n",
         "the JSON report"});
    return parts;
}

/// Parts as long as there is room, and at the end what was left out.
std::string write(const Outline& outline, const Style& style) {
    std::string text;
    std::vector<std::string> left_out;
    for (const Part& part : parts_of(outline, style)) {
        if (text.size() + part.text.size() + kept_for_the_end <= most_characters)
            text += part.text;
        else
            left_out.push_back(part.name);
    }
    if (const auto findings = std::erase(left_out, a_finding); findings > 0)
        left_out.insert(left_out.begin(), pluralized(findings, "finding", "findings"));
    if (left_out.empty())
        return text;
    return text + "\nLeft out, because an issue is limited to 65,536 characters: " +
           join_with_and(left_out) + ". The same command with `--json` prints everything.\n";
}

}  // namespace

extern const Format format{
    .title = "Markdown for an issue, of at most 60,000 characters",
    .write = write,
};

}  // namespace rnncheck::formats::markdown
