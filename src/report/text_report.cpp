// The text report: of a machine, layer by layer, or of logs, cause by cause.
#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "report/outline.hpp"
#include "report/text.hpp"

namespace rnncheck {

namespace {

/// The title at the left, the rule at the right or, where it does not fit, on the next line.
void write_title(Page& page, const Finding& finding) {
    const auto& [mark, style, word] = look_of(finding.severity);
    const std::string sure =
        finding.confidence == Confidence::certain ? "" : concat(" (", finding.confidence, ')');
    const std::string begin = page.mark(mark) + ' ';
    const std::string text =
        page.styled(style, std::string(word) + ": ") + shown(title_of(finding)) + sure;
    const std::string rule = shown(finding.rule);
    const std::size_t used = columns_of(begin + text) + 2;
    page.line();
    if (used + rule.size() <= page.width())
        return page.line(begin + text + std::string(page.width() - used - rule.size() + 2, ' ') +
                         page.styled(TextStyle::faint, rule));
    page.wrap(begin, text);
    page.line(std::string(columns_of(begin), ' ') + page.styled(TextStyle::faint, rule));
}

void write_evidence(Page& page, const std::vector<Evidence>& evidence, std::string_view word) {
    for (const Evidence& item : evidence) {
        const std::string source = item.source.empty() ? "" : " [" + shown(item.source) + "]";
        page.labelled(word, shown(item.what) + ": " + shown(item.value) + source);
        word = "";
    }
}

void write_confirmation(Page& page, const DecidingCheck& check) {
    if (!check.command.empty())
        page.command("Confirm", check.command);
    page.labelled(check.command.empty() ? "Confirm" : "", shown(check.text));
}

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
    for (const std::string& check : remedy.checks)
        page.command(&check == &remedy.checks.front() ? "Check" : "", check);
}

}  // namespace

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
        write_remedy(page, i == 0 ? "Fix" : "Or", remedy);
        if (!remedy.verify.empty() && !includes(remedy.commands, remedy.verify))
            page.command("Verify", remedy.verify);
        if (page.is_verbose() && !remedy.link.empty())
            page.line("  " + padded("Docs", 10) + shown(remedy.link));
    }
}

namespace {

using Verdicts = std::vector<const RuleVerdict*>;

std::string rules_of(const Verdicts& verdicts) {
    return join(mapped(verdicts, [](const RuleVerdict* verdict) { return shown(verdict->rule); }),
                ", ");
}

/// Those with one reason together, below a heading.
void write_reasons(Page& page, const std::string& heading, const Verdicts& verdicts,
                   bool with_evidence = false) {
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

void write_probe_runs(Page& page, const Facts& facts) {
    if (facts.probe_runs.empty())
        return;
    page.heading("Probes");
    for (const ProbeRun& run : facts.probe_runs) {
        const std::string time = run.elapsed_ms < 1000 ? short_number(run.elapsed_ms) + " ms"
                                                       : short_number(run.elapsed_ms / 1000) + " s";
        const bool is_finished = run.end == ProbeEnd::finished;
        page.labelled(shown(run.probe),
                      listed({is_finished ? time : id_in_words(name_of(run.end)) + " after " + time,
                              shown(run.target), known("", run.reason), known("", run.signal)}) +
                          (run.completed() ? "" : known(" in ", run.last_call)),
                      16);
    }
}

std::string summary_of(const Report& report) {
    const auto findings = [&](Severity severity) { return count_of(report.findings, severity); };
    const auto not_evaluated = std::ranges::count_if(
        report.verdicts, [](const RuleVerdict& verdict) { return verdict.not_asked.has_value(); });
    const Counts& counts = report.counts;
    std::string all =
        counts_in_words({{findings(Severity::error), "problem", "problems"},
                         {findings(Severity::warning), "warning", "warnings"},
                         {findings(Severity::note), "note", "notes"},
                         {counts.undecided, "check undetermined", "checks undetermined"},
                         {counts.pass, "check passed", "checks passed"},
                         {counts.not_applicable - not_evaluated, "does not apply", "do not apply"},
                         {not_evaluated, "not evaluated", "not evaluated"}});
    const bool is_fine =
        findings(Severity::error) + findings(Severity::warning) == 0 && counts.undecided == 0;
    return is_fine ? "No problem found" + (all.empty() ? "" : ", " + all) : all;
}

std::string in_words(const std::vector<HiddenThings>& all) {
    std::vector<std::string> hidden;
    for (const HiddenThings& things : all)
        if (things.count > 0)
            hidden.push_back(std::to_string(things.count) + " x " +
                             shown(id_in_words(things.kind)));
    return hidden.empty()
               ? ""
               : "Hidden because private: " + join(hidden, ", ") + " (--show-private shows them).";
}

/// On a page the user's own home directory is "~", which hides nothing from that person.
std::string hidden_on_page(const Report& report) {
    std::vector<HiddenThings> all = report.hidden.value_or(std::vector<HiddenThings>{});
    HiddenThings* const homes = find_by(all, &HiddenThings::kind, std::string_view("home"));
    if (homes && !report.own_home.empty())
        --homes->count;
    return in_words(all);
}

void write_end(Page& page, const Report& report) {
    const ToolStamp& tool = report.tool;
    page.line();
    page.wrap("", summary_of(report) +
                      (tool.matrix_date.empty()
                           ? "."
                           : ". Compatibility data: " + matrix_date_in_words(tool) + "."));
    if (report.profile)
        page.wrap("", "Profile: " + shown(report.profile->file) + ".");
    if (const std::string hidden = hidden_on_page(report); !hidden.empty())
        page.wrap("", hidden);
    const std::string explain =
        report.findings.empty() ? "" : "rnncheck explain " + shown(report.findings.front().rule);
    if (page.is_verbose() && explain.empty())
        return;
    page.line("More: " + explain + (page.is_verbose() ? "" : explain.empty() ? "-v" : ", or -v"));
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

void write_examination(Page& page, const Report& report) {
    const bool given = report.about == About::versions;
    page.wrap("", headline(report, page), 2);
    if (const std::string file = saved_facts_of(report); !file.empty())
        page.wrap("  ", "of the machine whose facts are saved in " + shown(file) +
                            ", not of this machine");
    if (given)
        page.heading("Given");
    if (!given)
        page.line();
    write_checklist(page, checklist_of(report));
    const std::span<const Finding> findings = report.findings;
    const auto first_note =
        std::ranges::find(findings, Severity::note, &Finding::severity) - findings.begin();
    const std::size_t written =
        page.is_verbose() ? findings.size() : static_cast<std::size_t>(first_note);
    for (std::size_t i = 0, next; i < written; i = next) {
        next = i + 1;
        while (!page.is_verbose() && next < written && have_one_fix(findings[i], findings[next]))
            ++next;
        write_finding(page, findings.subspan(i, next - i));
    }
    write_notes(page, findings.subspan(written));
    write_reasons(page,
                  page.mark(Mark::undetermined) + page.styled(TextStyle::bold, " Undetermined"),
                  checks_with(report.verdicts, Outcome::undecided), page.is_verbose());
    if (page.is_verbose() || !cause_below_all_cases(report))
        write_sweeps(page, report.facts, page.is_verbose() || report.lstm);
    if (report.lstm)
        write_lstm(page, *report.lstm);
    if (page.is_verbose() || given)
        write_reasons(page, page.styled(TextStyle::bold, "Passed"),
                      checks_with(report.verdicts, Outcome::pass), true);
    else if (find_by(report.facts.frameworks, &Framework::asked, true))
        write_reasons(page, page.styled(TextStyle::bold, "Passed, of versions"),
                      passed_of_versions(report));
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

/// So many causes fill the screen.
constexpr std::size_t many_causes = 4;

/// How long the parts of a diagnosis may be, in columns: whole where there is room, one or two
/// lines where there is none.
struct Room {
    std::size_t quote = 240, error = 240, known = 1000, reason = 1000, first_check = 1000,
                check = 1000;
};
constexpr Room beside_many_causes = {
    .quote = 100, .error = 100, .known = 65, .reason = 130, .first_check = 130, .check = 72};

std::string lines_of(const Log& log, LogKind kind) {
    constexpr std::size_t most_lines = 8;
    std::vector<std::string> lines;
    for (const LogEvent& event : log.events)
        if (event.kind == kind && lines.size() < most_lines)
            add_once(lines, std::to_string(event.line));
    return lines.empty() ? "" : (lines.size() == 1 ? "line " : "lines ") + join_with_and(lines);
}

std::string network_in_words(const LogRnnConfig& config) {
    const auto number = [](const char* name, const std::optional<std::int64_t>& value) {
        return value ? concat(name, ' ', *value) : "";
    };
    return shown(
        listed({config.cell.value_or("cell unknown"), config.direction.value_or(""),
                number("layers", config.layers), number("input", config.input_size),
                number("units", config.units), number("longest sequence", config.sequence_length),
                number("batch", config.batch),
                config.missing.empty() ? "" : "not in the log: " + join_with_and(config.missing)}));
}

std::string given_in_words(const Log& log) {
    std::vector<std::string> words;
    for (const UserHint& said : log.user_hints)
        words.push_back(said.key + "=" + said.value +
                        (said.expected ? " (not understood, left out)" : ""));
    return shown(join(words, ", "));
}

/// The lines of the log and the other facts that indicate the cause, each line once, and the first
/// error if it is another line.
void write_lines(Page& page, const Finding& cause, const Log& log, const Room& room) {
    std::vector<std::string> known, excluded;
    std::vector<LogPlace> quoted;
    for (const Evidence& item : cause.evidence) {
        if (item.source == "log.first_error")
            continue;
        const auto place = quoted_line(item, log);
        if (!place)
            (item.what == what_is_ruled_out ? excluded : known).push_back(shown(item.value));
        if (!place || includes(quoted, *place))
            continue;
        page.wrap("  ", shortened(shown(item.value), room.quote), 4);
        quoted.push_back(*place);
    }
    std::erase_if(known,
                  [&](const std::string& one) { return contains(join(excluded, " "), one); });
    page.labelled("Known", shortened(join(known, ", "), room.known));
    for (const std::string& other : excluded)
        page.labelled("Ruled out", shortened(other, room.reason));
    if (!log.first_error_line)
        return;
    if (find_by(quoted, &LogPlace::line, *log.first_error_line))
        return;
    const std::string first =
        concat("line ", *log.first_error_line, ": ", shown(log.first_error.value_or("")));
    page.labelled("Error", shortened(first, room.error));
}

/// What a check costs: a command that only looks, one that searches or needs root, one that runs
/// the program, a change of the program.
int cost_of(const DecidingCheck& check) {
    if (!check.is_needed)
        return 0;
    if (check.command.empty())
        return 3;
    if (contains(check.command, "your_program"))
        return 2;
    return contains(check.command, "find /") || contains(check.command, "sudo ") ? 1 : 0;
}

/// Where no cause is likely: the cheapest check of the first ones.
const Finding& cheapest_to_check(std::span<const Finding> causes) {
    constexpr std::size_t most_tried = 3;
    const auto cost = [](const Finding& cause) {
        return cause.decided_by ? cost_of(*cause.decided_by) : 4;
    };
    return *std::ranges::min_element(causes.first(std::min(causes.size(), most_tried)), {}, cost);
}

void write_first_check(Page& page, const Finding& cause, const Room& room) {
    if (!cause.decided_by->command.empty())
        page.command("Check", cause.decided_by->command);
    page.labelled(cause.decided_by->command.empty() ? "Check" : "",
                  shortened(shown(cause.decided_by->text), room.first_check));
}

/// One check for each cause that is open, the most likely one first; that of `shown_before` is
/// known already.
void write_checks(Page& page, const std::vector<Finding>& causes, const Finding* shown_before,
                  const Room& room) {
    page.heading(shown_before ? "Possible causes, each with its check:"
                              : "To find out which cause it is, check in this order:");
    for (std::size_t i = 0; i < causes.size(); ++i) {
        const std::string number = "  " + std::to_string(i + 1) + "  ";
        const bool is_above = &causes[i] == shown_before;
        const std::string title = shown(title_of(causes[i])) + (is_above ? ": above" : "");
        const std::string with_rule = title + " (" + shown(causes[i].rule) + ")";
        const bool fits = columns_of(number + with_rule) <= page.width();
        page.wrap(number, fits || causes.size() < many_causes ? with_rule : title);
        if (!causes[i].decided_by || is_above)
            continue;
        const std::string& command = causes[i].decided_by->command;
        if (!command.empty())
            page.line("     " + page.styled(TextStyle::bold, shown(command)));
        if (command.empty() || !shown_before)
            page.wrap("     ", shortened(shown(causes[i].decided_by->text), room.check));
    }
}

void write_about_log(Page& page, const Log& log, bool fills_screen) {
    if (log.files.empty())
        return;  // a command that printed nothing
    std::string text = pluralized(log.lines, "line", "lines") + " of " +
                       shown(join_with_and(log.files)) + " read.";
    if (const std::string lines = lines_of(log, LogKind::consequence); !lines.empty())
        text += " Follow-up errors: " + lines + ".";
    if (const std::string lines = lines_of(log, LogKind::harmless); !lines.empty())
        text += " Harmless: " + lines + ".";
    if (!fills_screen)
        page.line();
    page.wrap("", text);
}

/// No cause is certain or likely, so that the report begins with a check.
bool is_guess_among(const std::vector<Finding>& causes) {
    const Finding& first = causes.front();
    return first.decided_by && first.severity != Severity::note &&
           first.confidence == Confidence::possible;
}

/// The fix of a cause that is certain or likely; otherwise first the cheapest check, for a fix of a
/// guess helps nobody.
void write_way_out(Page& page, const std::vector<Finding>& causes, const Room& room) {
    constexpr std::size_t most_with_fix =
        2;  ///< causes, beside which the page has room for the fix of the first
    const Finding& first = causes.front();
    const bool is_open = first.decided_by && first.severity != Severity::note;
    const bool is_guess = is_guess_among(causes);
    if (first.severity != Severity::error && !is_open)
        page.wrap("  ", shown(first.message));
    const Finding* const checked = is_guess ? &cheapest_to_check(causes) : nullptr;
    if (checked && checked->decided_by)
        write_first_check(page, *checked, room);
    if (!is_guess && !first.remedies.empty())
        write_remedy(page, "Fix", first.remedies.front());
    if (is_open && causes.size() > 1)
        write_checks(page, causes, checked, room);
    if (is_open && causes.size() == 1 && !is_guess)
        write_confirmation(page, *first.decided_by);
    if (is_guess && causes.size() <= most_with_fix && !first.remedies.empty()) {
        page.heading(causes.size() == 1 ? "If this is the cause:" : "If it is the first:");
        write_remedy(page, "Fix", first.remedies.front());
    }
}

void write_diagnosis(Page& page, const Report& report) {
    const Log& log = *report.facts.log;
    const std::vector<Finding>& causes = report.findings;
    const bool fills_screen =
        !causes.empty() && is_guess_among(causes) && causes.size() >= many_causes;
    const Room room = fills_screen ? beside_many_causes : Room();
    page.wrap("", headline(report, page), 2);
    if (!causes.empty()) {
        page.line();
        write_lines(page, causes.front(), log, room);
        if (log.rnn_config)
            page.labelled("Network", network_in_words(*log.rnn_config));
        if (!log.user_hints.empty())
            page.labelled("Given", given_in_words(log));
        write_way_out(page, causes, room);
        if (page.is_verbose())
            for (const Finding& cause : causes)
                write_finding(page, {&cause, 1});
    }
    write_about_log(page, log, fills_screen);
    if (const std::string hidden = hidden_on_page(report); !hidden.empty())
        page.wrap("", hidden);
    if (fills_screen && !page.is_verbose())
        page.line("More: -v shows the fix of each cause");
    else if (!causes.empty())
        page.line("More: rnncheck explain " + shown(causes.front().rule) +
                  (page.is_verbose()    ? ""
                   : causes.size() == 1 ? ", or -v"
                                        : ", or -v for the fix of each cause"));
}

}  // namespace

std::string hidden_in_words(const Report& report) {
    return in_words(report.hidden.value_or(std::vector<HiddenThings>{}));
}

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
