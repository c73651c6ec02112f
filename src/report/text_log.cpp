// The causes that logs point to: the most likely one, and how to find out where the log leaves several open.
#include <algorithm>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "report/text.hpp"

namespace rnncheck {

namespace {

constexpr std::size_t longest_quote = 240;

std::string lines_of(const Log& log, LogKind kind) {
    constexpr std::size_t most_lines = 8;
    std::vector<std::string> lines;
    for (const LogEvent& event : log.events)
        if (event.kind == kind && lines.size() < most_lines) lines.push_back(std::to_string(event.line));
    return lines.empty() ? "" : (lines.size() == 1 ? "line " : "lines ") + join_with_and(lines);
}

std::string network_in_words(const LogRnnConfig& config) {
    const auto number = [](const char* name, const std::optional<std::int64_t>& value) {
        return value ? concat(name, ' ', *value) : "";
    };
    return shown(
        listed({config.cell.value_or("cell unknown"), config.direction.value_or(""), number("layers", config.layers),
                number("input", config.input_size), number("units", config.units),
                number("longest sequence", config.sequence_length), number("batch", config.batch),
                config.missing.empty() ? "" : "not in the log: " + join_with_and(config.missing)}));
}

std::string given_in_words(const Log& log) {
    std::vector<std::string> words;
    for (const UserHint& said : log.user_hints)
        words.push_back(said.key + "=" + said.value + (said.expected ? " (not understood, left out)" : ""));
    return shown(join(words, ", "));
}

/// The lines of the log that point to the cause, and what else does; the first error where it is another line.
void write_lines(Page& page, const Finding& cause, const Log& log) {
    std::vector<std::string> known, quoted;
    for (const Evidence& item : cause.evidence) {
        const bool is_line = item.source.starts_with("log.events[");
        if (is_line && !includes(quoted, item.source)) page.wrap("  ", shortened(shown(item.value), longest_quote), 4);
        if (is_line)
            quoted.push_back(item.source);
        else
            known.push_back(shown(item.value));
    }
    page.labelled("Known", join(known, ", "));
    if (!log.first_error_line) return;
    const std::string place = "line " + std::to_string(*log.first_error_line) + ":";
    const auto is_there = [&](const Evidence& item) { return contains(item.value, place); };
    if (std::ranges::none_of(cause.evidence, is_there))
        page.labelled("Error", shortened(place + ' ' + shown(log.first_error.value_or("")), longest_quote));
}

/// One check for each cause that is open, the most likely one first.
void write_checks(Page& page, const std::vector<Finding>& causes) {
    page.heading("To find out which cause it is, check in this order:");
    for (std::size_t i = 0; i < causes.size(); ++i) {
        const std::string number = "  " + std::to_string(i + 1) + "  ";
        page.wrap(number, shown(title_of(causes[i]) + " (" + causes[i].rule + ")"));
        if (!causes[i].decided_by) continue;
        if (!causes[i].decided_by->command.empty())
            page.line("     " + page.styled(TextStyle::bold, shown(causes[i].decided_by->command)));
        page.wrap("     ", shown(causes[i].decided_by->text));
    }
}

void write_about_log(Page& page, const Log& log) {
    std::string text = pluralized(log.lines, "line", "lines") + " of " + shown(join_with_and(log.files)) + " read.";
    if (const std::string lines = lines_of(log, LogKind::consequence); !lines.empty())
        text += " Follow-up errors: " + lines + ".";
    if (const std::string lines = lines_of(log, LogKind::harmless); !lines.empty()) text += " Harmless: " + lines + ".";
    page.line();
    page.wrap("", text);
}

}  // namespace

void write_diagnosis(Page& page, const Report& report) {
    const Log& log = *report.facts.log;
    const std::vector<Finding>& causes = report.findings;
    page.wrap("", headline(report, page), 2);
    if (!causes.empty()) {
        page.line();
        write_lines(page, causes.front(), log);
        if (log.rnn_config) page.labelled("Network", network_in_words(*log.rnn_config));
        if (!log.user_hints.empty()) page.labelled("Given", given_in_words(log));
        if (!causes.front().remedies.empty()) write_remedy(page, "Fix", causes.front().remedies.front());
        const bool open = causes.front().decided_by && causes.front().severity != Severity::note;
        if (open && causes.size() > 1) write_checks(page, causes);
        if (open && causes.size() == 1) write_confirmation(page, *causes.front().decided_by);
        if (page.is_verbose())
            for (const Finding& cause : causes) write_finding(page, report, {&cause, 1});
    }
    write_about_log(page, log);
    if (const std::string hidden = hidden_in_words(report); !hidden.empty()) page.wrap("", hidden);
    if (!causes.empty())
        page.line("More: rnncheck explain " + shown(causes.front().rule) +
                  (page.is_verbose()    ? ""
                   : causes.size() == 1 ? ", or -v"
                                        : ", or -v for the fix of each cause"));
}

}  // namespace rnncheck
