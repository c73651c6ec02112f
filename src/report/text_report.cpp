// A report for people.
#include <algorithm>
#include <map>
#include <utility>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "report/documents.hpp"
#include "report/text.hpp"

namespace rnncheck {

namespace {

/// The title at the left, the rule at the right or, where it does not fit, on the next line.
void write_title(Page& page, const Finding& finding) {
    const auto& [mark, style, word] = look_of(finding.severity);
    const std::string sure =
        finding.confidence == Confidence::certain ? "" : " (" + std::string(name_of(finding.confidence)) + ")";
    const std::string begin = page.mark(mark) + ' ';
    const std::string text = page.styled(style, std::string(word) + ": ") + shown(title_of(finding)) + sure;
    const std::string rule = shown(finding.rule);
    const std::size_t used = columns_of(begin + text) + 2;
    page.line();
    if (used + rule.size() <= page.width())
        return page.line(begin + text + std::string(page.width() - used - rule.size() + 2, ' ') +
                         page.styled(TextStyle::faint, rule));
    page.wrap(begin, text);
    page.line(std::string(columns_of(begin), ' ') + page.styled(TextStyle::faint, rule));
}

/// The checklist shows the whole paths of cuDNN and CUDA; elsewhere the name of the file is enough to know which.
std::string with_short_paths(std::string text, const Facts& facts) {
    std::vector<std::string> paths;
    for (const Cudnn& cudnn : facts.cudnns) paths.push_back(cudnn.library);
    for (const Runtime& runtime : facts.runtimes) paths.push_back(runtime.library);
    for (const std::string& path : paths) {
        const auto same_name = [&](const std::string& other) { return file_name(other) == file_name(path); };
        if (path.empty() || std::ranges::count_if(paths, same_name) > 1) continue;
        replace_all(text, " at " + path, "");
        replace_all(text, path, file_name(path));
    }
    return text;
}

void write_evidence(Page& page, const std::vector<Evidence>& evidence, std::string_view word) {
    for (const Evidence& item : evidence) {
        const std::string source = item.source.empty() ? "" : " [" + shown(item.source) + "]";
        page.labelled(word, shown(item.what) + ": " + shown(item.value) + source);
        word = "";
    }
}

/// The rules with this outcome, if there are any, below a heading.
void write_verdicts(Page& page, const Report& report, Outcome outcome, const std::string& heading, bool with_evidence) {
    if (!find_by(report.verdicts, &RuleVerdict::outcome, outcome)) return;
    page.line();
    page.line(heading);
    for (const RuleVerdict& verdict : report.verdicts) {
        if (verdict.outcome != outcome) continue;
        page.wrap("  " + shown(verdict.rule) + ": ", shown(verdict.reason), 4);
        if (with_evidence) write_evidence(page, verdict.evidence, "");
    }
}

/// What does not apply; and apart from it, by the reason, what was not evaluated: that is not known to be fine.
void write_without_answer(Page& page, const Report& report) {
    std::vector<std::string> not_applicable;
    std::map<std::string, std::vector<std::string>> not_evaluated;
    for (const RuleVerdict& verdict : report.verdicts)
        if (verdict.outcome == Outcome::not_applicable)
            (verdict.not_asked ? not_evaluated[verdict.reason] : not_applicable).push_back(shown(verdict.rule));
    if (!not_applicable.empty()) page.heading("Not applicable");
    if (!not_applicable.empty()) page.wrap("  ", join(not_applicable, ", "));
    if (!not_evaluated.empty()) page.heading("Not evaluated");
    for (const auto& [reason, rules] : not_evaluated) page.wrap("  ", shown(reason) + ": " + join(rules, ", "), 4);
}

void write_probe_runs(Page& page, const Facts& facts) {
    if (facts.probe_runs.empty()) return;
    page.heading("Probes");
    for (const ProbeRun& run : facts.probe_runs) {
        std::string line = short_number(run.elapsed_ms) + " ms";
        if (run.end != ProbeEnd::finished) line = id_in_words(name_of(run.end)) + " after " + line;
        if (!run.target.empty()) line += ", " + shown(run.target);
        if (run.reason) line += ", " + shown(*run.reason);
        if (run.signal) line += ", " + shown(*run.signal);
        if (run.last_call && !run.completed()) line += " in " + shown(*run.last_call);
        page.labelled(shown(run.probe), line, 16);
    }
}

std::string counts_in_words(const Report& report) {
    std::vector<std::string> parts;
    const auto add = [&](std::ptrdiff_t count, const char* one, const char* many) {
        if (count > 0) parts.push_back(pluralized(static_cast<std::size_t>(count), one, many));
    };
    const auto findings = [&](Severity severity) {
        return std::ranges::count(report.findings, severity, &Finding::severity);
    };
    const auto not_evaluated = std::ranges::count_if(
        report.verdicts, [](const RuleVerdict& verdict) { return verdict.not_asked.has_value(); });
    if (findings(Severity::error) + findings(Severity::warning) + report.counts.undecided == 0)
        parts.emplace_back("No problem found");
    add(findings(Severity::error), "problem", "problems");
    add(findings(Severity::warning), "warning", "warnings");
    add(findings(Severity::note), "note", "notes");
    add(report.counts.undecided, "check undetermined", "checks undetermined");
    add(report.counts.pass, "check passed", "checks passed");
    add(report.counts.not_applicable - not_evaluated, "does not apply", "do not apply");
    add(not_evaluated, "not evaluated", "not evaluated");
    return join(parts, ", ");
}

void write_end(Page& page, const Report& report) {
    const ToolStamp& tool = report.tool;
    page.line();
    page.wrap("", counts_in_words(report) +
                      (tool.matrix_date.empty() ? "." : ". Compatibility data: " + matrix_date_in_words(tool) + "."));
    if (report.profile) page.wrap("", "Profile: " + shown(report.profile->file) + ".");
    if (const std::string hidden = hidden_in_words(report); !hidden.empty()) page.wrap("", hidden);
    const std::string explain =
        report.findings.empty() ? "" : "rnncheck explain " + shown(report.findings.front().rule);
    if (page.is_verbose() && explain.empty()) return;
    page.line("More: " + explain + (page.is_verbose() ? "" : explain.empty() ? "-v" : ", or -v"));
}

void write_examination(Page& page, const Report& report) {
    const bool given = only_given(report.facts);
    page.wrap("", headline(report, page), 2);
    if (given) page.heading("Given");
    if (!given) page.line();
    write_checklist(page, checklist_of(report));
    for (const Finding& finding : report.findings) write_finding(page, report, finding);
    write_verdicts(page, report, Outcome::undecided,
                   page.mark(Mark::undetermined) + page.styled(TextStyle::bold, " Undetermined"), page.is_verbose());
    write_sweeps(page, report.facts, page.is_verbose() || report.lstm);
    if (report.lstm) write_lstm(page, *report.lstm);
    if (page.is_verbose() || given)
        write_verdicts(page, report, Outcome::pass, page.styled(TextStyle::bold, "Passed"), true);
    if (page.is_verbose()) {
        write_without_answer(page, report);
        write_probe_runs(page, report.facts);
    }
    write_end(page, report);
}

}  // namespace

std::string hidden_in_words(const Report& report) {
    std::vector<std::string> hidden;
    for (const HiddenThings& things : report.hidden.value_or(std::vector<HiddenThings>{}))
        hidden.push_back(std::to_string(things.count) + " x " + shown(id_in_words(things.kind)));
    return hidden.empty() ? "" : "Hidden because private: " + join(hidden, ", ") + " (--show-private shows them).";
}

void write_confirmation(Page& page, const DecidingCheck& check) {
    if (!check.command.empty()) page.command("Confirm", check.command);
    page.labelled(check.command.empty() ? "Confirm" : "", shown(check.text));
}

void write_remedy(Page& page, std::string_view word, const Remedy& remedy) {
    const std::string warning(warning_of(remedy.risk));
    const std::string text = shown(remedy.text) + (warning.empty() ? "" : " (" + warning + ")");
    if (remedy.risk == Risk::destructive)
        page.labelled(std::exchange(word, ""), text);  // to be read before it is copied
    for (const std::string& command : remedy.commands) {
        page.command(word, command);
        word = "";
    }
    if (remedy.risk != Risk::destructive) page.labelled(word, text);
    for (const std::string& check : remedy.checks) page.command(&check == &remedy.checks.front() ? "Check" : "", check);
}

void write_finding(Page& page, const Report& report, const Finding& finding) {
    write_title(page, finding);
    const std::string message =
        shown(page.is_verbose() ? finding.message : with_short_paths(finding.message, report.facts));
    if (lower(message) != lower(finding.title) && !finding.title.empty()) page.wrap("  ", message);
    if (page.is_verbose()) write_evidence(page, finding.evidence, "Evidence");
    if (finding.decided_by) write_confirmation(page, *finding.decided_by);
    for (std::size_t i = 0; i < finding.remedies.size() && (i == 0 || page.is_verbose()); ++i) {
        const Remedy& remedy = finding.remedies[i];
        write_remedy(page, i == 0 ? "Fix" : "Or", remedy);
        if (!remedy.verify.empty() && !includes(remedy.commands, remedy.verify)) page.command("Verify", remedy.verify);
        if (page.is_verbose() && !remedy.link.empty()) page.line("  " + padded("Docs", 10) + shown(remedy.link));
    }
}

std::string text_of(const Report& report, const Style& style) {
    Page page(style);
    if (style.quiet)
        page.line(headline(report, page));
    else if (from_logs_alone(report.facts))
        write_diagnosis(page, report);
    else
        write_examination(page, report);
    if (report.model && !style.quiet) {
        page.line();
        write_layers(page, *report.model);
    }
    return page.text();
}

}  // namespace rnncheck
