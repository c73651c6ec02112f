// The text report about a machine, layer by layer.
#include <algorithm>
#include <span>
#include <tuple>

#include "base/if_any.hpp"
#include "base/lists.hpp"
#include "base/text.hpp"
#include "report/outline.hpp"
#include "report/text_finding.hpp"

namespace rnncheck {

namespace {

using Verdicts = std::vector<const RuleVerdict*>;

/// "driver_too_old, cudnn_bug".
std::string rules_of(const Verdicts& verdicts) {
    return join(
        mapped(verdicts, [](const RuleVerdict* verdict) { return shown(verdict->rule); }), ", ");
}

/// Those with one reason together, below a heading.
void write_reasons(
    Page& page, const std::string& heading, const Verdicts& verdicts, bool with_evidence = false) {
    if (verdicts.empty())
        return;
    page.line();
    page.line(heading);
    for (const auto& [reason, alike] : grouped(verdicts, &RuleVerdict::reason)) {
        page.wrap("  ", rules_of(alike) + ": " + shown(reason), 4);
        std::vector<Evidence> evidence;
        for (const RuleVerdict* verdict : alike)
            for (const Evidence& item : verdict->evidence)
                if (with_evidence)
                    add_once(evidence, item);
        write_evidence(page, evidence, "");
    }
}

std::string time_in_words(double milliseconds) {
    if (milliseconds < 1000)
        return short_number(milliseconds) + " ms";
    return short_number(milliseconds / 1000) + " s";
}

/// "0.2 s, /usr/lib/libcudnn.so.9"; "timed out after 30 s, /usr/lib/libcudnn.so.9
/// in cudnnCreate".
std::string in_words(const ProbeRun& run) {
    std::string how = time_in_words(run.elapsed_ms), call;
    if (run.end != ProbeEnd::finished)
        how = id_in_words(name_of(run.end)) + " after " + how;
    if (!run.completed())
        call = known(" in ", run.last_call);
    return listed({how, shown(run.target), known("", run.reason), known("", run.signal)}) + call;
}

/// With -v: how long each probe took, and how it ended.
void write_probe_runs(Page& page, const Facts& facts) {
    if (facts.probe_runs.empty())
        return;
    page.heading("Probes");
    for (const ProbeRun& run : facts.probe_runs)
        page.labelled(shown(run.probe), in_words(run), 16);
}

/// "1 problem, 2 notes, 61 checks passed", without what there is none of.
std::string summary_of(const Report& report) {
    const auto findings = [&](Severity severity) { return count_of(report.findings, severity); };
    const auto not_evaluated = std::ranges::count_if(
        report.verdicts,
        [](const RuleVerdict& verdict) { return verdict.not_evaluated.has_value(); });
    const Counts& counts = report.counts;
    std::string all = counts_in_words(
        {{findings(Severity::error), "problem", "problems"},
         {findings(Severity::warning), "warning", "warnings"},
         {findings(Severity::note), "note", "notes"},
         {counts.undecided, "check undetermined", "checks undetermined"},
         {counts.pass, "check passed", "checks passed"},
         {counts.not_applicable - not_evaluated, "does not apply", "do not apply"},
         {not_evaluated, "not evaluated", "not evaluated"}});
    const bool is_fine =
        findings(Severity::error) + findings(Severity::warning) == 0 && counts.undecided == 0;
    if (is_fine)
        return "No problem found" + if_any(", ", all);
    return all;
}

/// The counts, what decided, what is hidden, and the command that shows more.
void write_end(Page& page, const Report& report) {
    const ToolStamp& tool = report.tool;
    page.line();
    std::string summary = summary_of(report) + ".";
    if (!tool.matrix_date.empty())
        summary += " Compatibility data: " + matrix_date_in_words(tool) + ".";
    page.wrap("", summary);
    if (report.profile)
        page.wrap("", "Profile: " + shown(report.profile->file) + ".");
    if (const std::string hidden = hidden_on_page(report); !hidden.empty())
        page.wrap("", hidden);
    std::string explain;
    if (!report.findings.empty())
        explain = "rnncheck explain " + shown(report.findings.front().rule);
    if (page.is_verbose() && explain.empty())
        return;
    std::string_view verbose = ", or -v";
    if (explain.empty())
        verbose = "-v";
    if (page.is_verbose())
        verbose = "";
    page.line(concat("More: ", explain, verbose));
}

/// The same on another GPU.
bool have_one_fix(const Finding& one, const Finding& other) {
    const auto are_equal = [](const Remedy& a, const Remedy& b) {
        return std::tie(a.text, a.commands, a.checks, a.verify) ==
               std::tie(b.text, b.commands, b.checks, b.verify);
    };
    return std::tie(one.rule, one.severity, one.confidence) ==
               std::tie(other.rule, other.severity, other.confidence) &&
           !one.decided_by && !other.decided_by &&
           std::ranges::equal(one.remedies, other.remedies, are_equal);
}

/// Notes in a line each: nothing needs to be done about them. With -v they are findings like the
/// others.
void write_notes(Page& page, std::span<const Finding> notes) {
    if (notes.empty())
        return;
    page.heading("Notes, which do not affect the verdict (-v shows what can be done)");
    for (const Finding& note : notes)
        page.wrap("  ", shown(note.message) + " (" + shown(note.rule) + ')', 4);
}

/// The file of --facts; empty if this machine was examined.
std::string saved_facts_of(const Report& report) {
    constexpr std::string_view option = "--facts=";
    for (const std::string& given : report.options)
        if (given.starts_with(option))
            return given.substr(option.size());
    return "";
}

/// The sentence of the first line as the last line, where the first one has left the screen.
void repeat_verdict(Page& page, const Report& report) {
    constexpr long lines_of_a_screen = 24;
    if (std::ranges::count(page.text(), '\n') < lines_of_a_screen)
        return;
    page.wrap(page.mark(mark_of(report.verdict)) + ' ', shown(sentence_of(report)), 2);
}

/// The answer for a version that was named, where it fits: what is known of versions alone, not of
/// files and runs.
Verdicts passed_of_versions(const Report& report) {
    Verdicts passed = checks_with(report.verdicts, Outcome::pass);
    std::erase_if(passed, [](const RuleVerdict* check) {
        return !from_name<stack::ConflictKind>(check->rule);
    });
    return passed;
}

/// From the verdict down: the checklist, findings, notes, what is undetermined,
/// the networks; with -v also what passed and how the probes went.
void write_examination(Page& page, const Report& report) {
    const bool given = report.about == About::versions;
    page.wrap("", headline(report, page), 2);
    if (const std::string file = saved_facts_of(report); !file.empty())
        page.wrap(
            "  ",
            "of the machine whose facts are saved in " + shown(file) + ", not of this machine");
    if (given)
        page.heading("Given");
    if (!given)
        page.line();
    write_checklist(page, checklist_of(report));
    const std::span<const Finding> findings = report.findings;
    // Notes are last, because findings are sorted by severity.
    const auto first_note =
        std::ranges::find(findings, Severity::note, &Finding::severity) - findings.begin();
    const std::size_t written =
        page.is_verbose() ? findings.size() : static_cast<std::size_t>(first_note);
    for (std::size_t i = 0, next; i < written; i = next) {
        next = i + 1;
        // Findings of one rule on several GPUs follow one another.
        while (!page.is_verbose() && next < written && have_one_fix(findings[i], findings[next]))
            ++next;
        write_finding(page, findings.subspan(i, next - i));
    }
    write_notes(page, findings.subspan(written));
    write_reasons(
        page,
        page.mark(Mark::undetermined) + page.styled(TextStyle::bold, " Undetermined"),
        checks_with(report.verdicts, Outcome::undecided),
        page.is_verbose());
    if (page.is_verbose() || !cause_below_all_cases(report))
        write_sweeps(page, report.facts, page.is_verbose() || report.lstm);
    if (report.lstm)
        write_lstm(page, *report.lstm);
    if (page.is_verbose() || given)
        write_reasons(
            page,
            page.styled(TextStyle::bold, "Passed"),
            checks_with(report.verdicts, Outcome::pass),
            true);
    else if (find_by(report.facts.frameworks, &Framework::requested, true))
        write_reasons(
            page, page.styled(TextStyle::bold, "Passed, of versions"), passed_of_versions(report));
    if (page.is_verbose()) {
        const Verdicts not_applicable = checks_with(report.verdicts, Outcome::not_applicable);
        if (!not_applicable.empty()) {
            page.heading("Not applicable");
            page.wrap("  ", rules_of(not_applicable));
        }
        const Verdicts not_evaluated = checks_with(report.verdicts, Outcome::not_applicable, false);
        if (!not_evaluated.empty())
            page.heading("Not evaluated");
        for (const auto& [reason, alike] : grouped(not_evaluated, &RuleVerdict::reason))
            page.wrap("  ", shown(reason) + ": " + rules_of(alike), 4);
        write_probe_runs(page, report.facts);
    }
    write_end(page, report);
    repeat_verdict(page, report);
}

}  // namespace

/// By what the report is about; the layers of a model at the end.
void write_document(Page& page, const Report& report) {
    if (page.is_quiet())
        return page.line(headline(report, page));
    if (report.about == About::log)
        write_diagnosis(page, report);
    else
        write_examination(page, report);
    if (!report.model)
        return;
    page.line();
    write_layers(page, *report.model);
}

}  // namespace rnncheck
