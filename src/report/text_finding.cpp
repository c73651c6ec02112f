// One finding as text: title, message, on a verbose page evidence, then what to do.
#include "report/text_finding.hpp"

#include <utility>

#include "base/if_any.hpp"
#include "base/lists.hpp"
#include "base/text.hpp"

namespace rnncheck {

namespace {

/// The title at the left, the rule at the right or, where it does not fit, on the next line.
void write_title(Page& page, const Finding& finding) {
    const auto& [mark, style, word] = look_of(finding.severity);
    std::string sure;
    if (finding.confidence != Confidence::certain)
        sure = concat(" (", finding.confidence, ')');
    const std::string begin = page.mark(mark) + ' ';
    const std::string text =
        page.styled(style, std::string(word) + ": ") + shown(title_of(finding)) + sure;
    const std::string rule = shown(finding.rule);
    const std::size_t used = columns_of(begin + text) + 2;
    page.line();
    if (used + rule.size() <= page.width())
        return page.line(
            begin + text + std::string(page.width() - used - rule.size() + 2, ' ') +
            page.styled(TextStyle::faint, rule));
    page.wrap(begin, text);
    page.line(std::string(columns_of(begin), ' ') + page.styled(TextStyle::faint, rule));
}

/// A reader has to know that USER1 is no real name, and how to see that.
std::string in_words(const std::vector<HiddenThings>& all) {
    std::vector<std::string> hidden;
    for (const HiddenThings& things : all)
        if (things.count > 0)
            hidden.push_back(
                std::to_string(things.count) + " x " + shown(id_in_words(things.kind)));
    if (hidden.empty())
        return "";
    return "Hidden because private: " + join(hidden, ", ") + " (--show-private shows them).";
}

}  // namespace

void write_evidence(Page& page, const std::vector<Evidence>& evidence, std::string_view word) {
    for (const Evidence& item : evidence) {
        const std::string source = if_any(" [", shown(item.source), "]");
        page.labelled(word, shown(item.what) + ": " + shown(item.value) + source);
        word = "";
    }
}

/// The command, then what to look at in its output.
void write_confirmation(Page& page, const DecidingCheck& check) {
    std::string_view word = "Confirm";
    if (!check.command.empty()) {
        page.command(word, check.command);
        word = "";
    }
    page.labelled(word, shown(check.text));
}

/// Commands come first, because they are copied; a warning comes before them.
void write_remedy(Page& page, std::string_view word, const Remedy& remedy) {
    const std::string text = shown(text_with_warning(remedy));
    if (remedy.risk == Risk::destructive)
        page.labelled(std::exchange(word, ""), text);  // to be read before it is copied
    for (const std::string& command : remedy.commands) {
        page.command(word, command);
        word = "";
    }
    if (remedy.risk != Risk::destructive)
        page.labelled(word, text);
    word = "Check";
    for (const std::string& check : remedy.checks) {
        page.command(word, check);
        word = "";
    }
}

/// The same finding on several GPUs: one title, a message for each, one fix.
void write_finding(Page& page, std::span<const Finding> with_one_fix) {
    const Finding& finding = with_one_fix.front();
    write_title(page, finding);
    for (const Finding& one : with_one_fix) {
        const std::string message = shown(one.message);
        if (lower(message) != lower(one.title) && !one.title.empty())
            page.wrap("  ", message);
    }
    if (page.is_verbose())
        write_evidence(page, finding.evidence, "Evidence");
    if (finding.decided_by)
        write_confirmation(page, *finding.decided_by);
    for (std::size_t i = 0; i < finding.remedies.size() && (i == 0 || page.is_verbose()); ++i) {
        const Remedy& remedy = finding.remedies[i];
        std::string_view word = "Fix";
        if (i > 0)
            word = "Or";
        write_remedy(page, word, remedy);
        if (!remedy.verify.empty() && !includes(remedy.commands, remedy.verify))
            page.command("Verify", remedy.verify);
        if (page.is_verbose() && !remedy.link.empty())
            page.line("  " + padded("Docs", 10) + shown(remedy.link));
    }
}

/// One home directory fewer, because the page writes it as "~".
std::string hidden_on_page(const Report& report) {
    std::vector<HiddenThings> all = report.hidden.value_or(std::vector<HiddenThings>{});
    HiddenThings* const homes = find_by(all, &HiddenThings::kind, std::string_view("home"));
    if (homes && !report.own_home.empty())
        --homes->count;
    return in_words(all);
}

std::string hidden_in_words(const Report& report) {
    return in_words(report.hidden.value_or(std::vector<HiddenThings>{}));
}

}  // namespace rnncheck
