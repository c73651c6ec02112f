#include <ostream>

#include "base/text.hpp"
#include "report/text.hpp"

namespace rnncheck {

namespace {

std::string_view warning_of(Risk risk) {
    switch (risk) {
        case Risk::needs_root:
            return "needs administrator rights";
        case Risk::disruptive:
            return "disturbs running programs or needs a restart";
        case Risk::destructive:
            return "destroys data: read the documentation first";
        case Risk::safe:
            break;
    }
    return "";
}

/// Never wrapped: a command is copied as a whole.
void write_command(std::string_view command, std::ostream& out, const Style& style) {
    out << label("", 12) << styled(style, TextStyle::bold, shown(command)) << '\n';
}

void write_evidence(const std::vector<Evidence>& evidence, std::ostream& out) {
    std::string_view word = "because";
    for (const Evidence& item : evidence) {
        const std::string source = item.source.empty() ? "" : " [" + shown(item.source) + "]";
        out << wrapped(label(word), shown(item.what) + ": " + shown(item.value) + source);
        word = "";
    }
}

void write_remedy(const Remedy& remedy, std::string_view word, std::ostream& out, const Style& style) {
    const std::string_view warning = warning_of(remedy.risk);
    out << wrapped(label(word), shown(remedy.text) + (warning.empty() ? "" : " (" + std::string(warning) + ")"));
    for (const std::string& command : remedy.commands) write_command(command, out, style);
    if (!remedy.verify.empty()) {
        out << "  to verify\n";
        write_command(remedy.verify, out, style);
    }
    if (!remedy.link.empty()) out << label("see") << shown(remedy.link) << '\n';
}

void write_remedies(const Finding& finding, std::ostream& out, const Style& style) {
    if (finding.remedies.empty()) return;
    write_remedy(finding.remedies.front(), "to repair", out, style);
    for (std::size_t i = 1; style.verbose && i < finding.remedies.size(); ++i)
        write_remedy(finding.remedies[i], "or", out, style);
}

std::string explain_hint(const Finding& finding, const Style& style) {
    const std::size_t hidden = finding.remedies.size() > 1 && !style.verbose ? finding.remedies.size() - 1 : 0;
    const std::string others =
        hidden ? " (" + pluralized(hidden, "other way", "other ways") + " to repair it: -v)" : "";
    return "rnncheck explain " + shown(finding.rule) + others;
}

TextStyle style_of(Severity severity) {
    return severity == Severity::error     ? TextStyle::red
           : severity == Severity::warning ? TextStyle::yellow
                                           : TextStyle::cyan;
}

}  // namespace

std::string severity_word(const Finding& finding, const Style& style) {
    return styled(style, style_of(finding.severity), name_of(finding.severity)) +
           (finding.confidence == Confidence::certain ? "" : " (" + std::string(name_of(finding.confidence)) + ")");
}

void write_finding(const Finding& finding, std::ostream& out, const Style& style) {
    out << '\n' << wrapped(severity_word(finding, style) + ": ", shown(finding.message), 2);
    write_evidence(finding.evidence, out);
    if (finding.decided_by) {
        out << wrapped(label("to decide"), shown(finding.decided_by->text));
        if (!finding.decided_by->command.empty()) write_command(finding.decided_by->command, out, style);
    }
    write_remedies(finding, out, style);
    out << label("more") << explain_hint(finding, style) << '\n';
}

}  // namespace rnncheck
