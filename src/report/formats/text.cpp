#include "base/text.hpp"

#include <algorithm>
#include <ostream>

#include "report/text.hpp"

namespace rnncheck {

namespace {

void write_verdict(const RuleVerdict& verdict, std::ostream& out) {
    out << wrapped("  " + shown(verdict.rule) + ": ", shown(verdict.reason), 4);
    for (const Evidence& item : verdict.evidence)
        out << wrapped("      ", shown(item.what) + ": " + shown(item.value) + " [" + shown(item.source) + "]", 8);
}

void write_verdicts(const Report& report, Outcome outcome, std::string_view title, std::ostream& out,
                    const Style& style) {
    const auto is_one = [&](const RuleVerdict& v) { return v.outcome == outcome; };
    if (std::none_of(report.verdicts.begin(), report.verdicts.end(), is_one)) return;
    out << '\n' << styled(style, TextStyle::bold, title) << '\n';
    for (const RuleVerdict& verdict : report.verdicts)
        if (is_one(verdict)) write_verdict(verdict, out);
}

void write_probe_runs(const Facts& facts, std::ostream& out, const Style& style) {
    if (facts.probe_runs.empty()) return;
    out << '\n' << styled(style, TextStyle::bold, "Probes") << '\n';
    for (const ProbeRun& run : facts.probe_runs) {
        std::string line = std::string(name_of(run.end)) + " after " + short_number(run.elapsed_ms) + " ms";
        if (!run.target.empty()) line += ", " + shown(run.target);
        if (run.reason) line += ", " + shown(*run.reason);
        if (run.signal) line += ", " + shown(*run.signal);
        if (run.last_call && !run.completed()) line += " in " + shown(*run.last_call);
        out << wrapped("  " + padded(shown(run.probe), 16) + " ", line);
    }
}

void write_short(const Report& report, std::ostream& out, const Style& style) {
    out << headline(report) << '\n';
    for (const Finding& finding : report.findings)
        out << severity_word(finding, style) << ": " << shown(finding.message) << " [" << shown(finding.rule) << "]\n";
}

void write_more(const Report& report, std::ostream& out, const Style& style) {
    write_verdicts(report, Outcome::not_applicable, "Nothing to say", out, style);
    write_probe_runs(report.facts, out, style);
}

}  // namespace

namespace formats::text {

static void write(const Report& report, std::ostream& out, const Style& style) {
    if (style.quiet) return write_short(report, out, style);
    out << wrapped("", headline(report), 2);
    if (!from_logs_alone(report.facts)) write_machine(report.facts, out, style);
    if (!only_given(report.facts)) write_frameworks(report.facts, out, style);
    if (report.facts.log) write_log(*report.facts.log, out, style);
    if (report.findings.size() > 1 && !from_logs_alone(report.facts))
        out << '\n'
            << wrapped(
                   "",
                   "Repair from the top of this list: errors come first, the lowest layer before what builds on it");
    for (const Finding& finding : report.findings) write_finding(finding, out, style);
    write_verdicts(report, Outcome::undecided, "Could not tell", out, style);
    write_sweeps(report.facts, out, style);
    if (style.verbose || only_given(report.facts)) write_verdicts(report, Outcome::pass, "Passed", out, style);
    if (style.verbose) write_more(report, out, style);
    if (report.tool.matrix_age_days) out << '\n' << tables_in_words(report.tool) << '\n';
}

extern const Format format{.title = "A report for people", .write = write};

}  // namespace formats::text

}  // namespace rnncheck
